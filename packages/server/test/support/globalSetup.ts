import { layerMigrations, layerPglite } from "@tapeline/postgres"
import { startPostgres } from "@tapeline/testing/postgresServer"
import { Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { makeTemplate } from "../../../postgres/test/support/migratedTemplate.ts"
import { findRedis } from "../../../redis/test/support/redisServer.ts"
import { bundleProgram } from "../../../scripts/src/programInOne.ts"
import { nodeArguments } from "./nodeArguments.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

declare module "vitest" {
  export interface ProvidedContext {
    /** The URL of a PostgreSQL server on which the role may create databases. */
    readonly postgresServer: string
    /** The name of an empty database on the PostgreSQL server with the current schema. */
    readonly postgresTemplate: string
    /** The URL of a Redis server, or null if no server is available. */
    readonly redisServer: string | null
    readonly emptyDataDir: string
    /** The bundled server program, which starts sooner than its sources. */
    readonly serverProgram: string
    readonly compileCache: string
  }
}

/**
 * Fills Node's compile cache: starts the program with an invalid setting, which makes it exit after all modules are
 * loaded.
 */
const fillCompileCache = (program: string, cacheFolder: string): Promise<unknown> =>
  new Promise((resolve) =>
    execFile(process.execPath, [...nodeArguments, program], {
      env: { PORT: "wrong", NODE_COMPILE_CACHE: cacheFolder }
    }, resolve)
  )

export default async (project: TestProject) => {
  const dir = mkdtempSync(join(tmpdir(), "tapeline-test-"))
  const [postgres, redis, program] = await Promise.all([
    // The database runs without durable writes, because the tests kill only the service.
    startPostgres({ settings: { fsync: "off", max_connections: "200", max_wal_size: "128MB" } }),
    findRedis(),
    bundleProgram(main).then(async (program) => {
      await fillCompileCache(program.path, join(dir, "compiled"))
      return program
    }),
    Effect.runPromise(
      Effect.scoped(Layer.build(layerMigrations.pipe(Layer.provide(layerPglite({ dataDir: join(dir, "data", "db") })))))
    )
  ])
  const template = await makeTemplate(postgres.url)
  project.provide("postgresServer", postgres.url)
  project.provide("postgresTemplate", template.name)
  project.provide("redisServer", redis?.url ?? null)
  project.provide("emptyDataDir", join(dir, "data"))
  project.provide("serverProgram", program.path)
  project.provide("compileCache", join(dir, "compiled"))
  return async () => {
    // Stops the database server and deletes its databases, unless the server was already running.
    await template.drop().finally(() => Promise.all([postgres.stop(), redis?.stop()]))
    program.remove()
    rmSync(dir, { recursive: true, force: true })
  }
}
