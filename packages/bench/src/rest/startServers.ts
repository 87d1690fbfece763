import { startPostgres } from "@tapeline/testing/postgresServer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { adminToken, plans, serverMain, startFlags } from "../load/settings.ts"
import { createDatabase } from "../load/setup.ts"
import { startMeasuredServer } from "./measuredServer.ts"

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export const startTapeline = (dataDir: string, databaseUrl?: string) =>
  startMeasuredServer(serverMain, startFlags, {
    PORT: "0",
    TAPELINE_DATA_DIR: dataDir,
    TAPELINE_ADMIN_TOKEN: adminToken,
    TAPELINE_LOG_LEVEL: "Debug",
    TAPELINE_KEEP_ALIVE_MS: "600000",
    TAPELINE_PLANS: JSON.stringify(plans),
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl })
  })

export const startBareServer = () => startMeasuredServer(join(import.meta.dirname, "bare.ts"))

/** Provides temporary folders and databases to a run, on a separate PostgreSQL, and removes them after the run. */
export const withTemporaryResources = async <A>(
  run: (resources: { readonly newFolder: () => string; readonly newDatabase: () => Promise<string> }) => Promise<A>
): Promise<A> => {
  const server = await startPostgres({ settings: { max_connections: "200", shared_buffers: "256MB" } })
  const folders: Array<string> = []
  let databases = 0
  const newFolder = (): string => {
    folders.push(mkdtempSync(join(tmpdir(), "tapeline-rest-")))
    return folders.at(-1)!
  }
  const newDatabase = () => createDatabase(server.url, `bench_rest_${databases++}`)
  try {
    return await run({ newFolder, newDatabase })
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    await server.stop()
  }
}
