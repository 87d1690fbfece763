/** The servers whose start and memory are measured: the service, and a bare `node:http` for comparison. */
import { startPostgres } from "@tapeline/testing/postgresServer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import postgres from "postgres"
import { startMeasuredServer } from "./measuredServer.ts"

const serverMain = join(dirname(fileURLToPath(import.meta.resolve("@tapeline/server"))), "main.ts")
/** The Node flags of `npm start`. */
const startFlags = ["--max-semi-space-size=8", "--heap-growing-percent=50"]
export const adminToken = "administration-token-of-the-bench"
export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const environment = (dataDir: string, databaseUrl?: string): Readonly<Record<string, string>> => ({
  PORT: "0",
  TAPELINE_DATA_DIR: dataDir,
  TAPELINE_ADMIN_TOKEN: adminToken,
  TAPELINE_LOG_LEVEL: "Debug",
  TAPELINE_KEEP_ALIVE_MS: "600000",
  TAPELINE_PLANS: JSON.stringify({
    bench: { monthly_credits: 1_000_000_000, keys: 1, requests_per_minute: 1_000_000_000, answers_per_day: 0 }
  }),
  ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl })
})

export const startTapeline = (dataDir: string, databaseUrl?: string) =>
  startMeasuredServer({
    file: serverMain,
    flags: startFlags,
    environment: environment(dataDir, databaseUrl),
    listenPattern: /^Tapeline listens on (\S+)/
  })

export const startBareServer = () =>
  startMeasuredServer({ file: join(import.meta.dirname, "bare.ts"), listenPattern: /^listens on (\S+)/ })

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
  const newDatabase = async (): Promise<string> => {
    const name = `bench_rest_${databases++}`
    const sql = postgres(server.url, { max: 1, onnotice: () => undefined })
    await sql.unsafe(`create database ${name}`)
    await sql.end()
    const url = new URL(server.url)
    url.pathname = `/${name}`
    return url.href
  }
  try {
    return await run({ newFolder, newDatabase })
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    await server.stop()
  }
}
