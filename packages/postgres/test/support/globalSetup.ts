import { PgClient } from "@effect/sql-pg"
import { makePgliteClient, migrate, openPglite } from "@tapeline/postgres"
import { startPostgres } from "@tapeline/testing/postgresServer"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { makeTemplate } from "./migratedTemplate.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** The URL of a PostgreSQL server on which the role may create databases. */
    readonly postgres: string
    /** The name of an empty database on the test run's PostgreSQL, with the current schema. */
    readonly postgresTemplate: string
    readonly pgliteDump: string
  }
}

/** Dumps a PGlite with the schema. Starting from the dump takes a tenth of the time that a new PGlite takes. */
const dumpPglite = (dir: string) =>
  Effect.scoped(Effect.gen(function*() {
    // A data folder begins as a copy of the installed template, and a database in memory does not.
    const pglite = yield* openPglite({ dataDir: join(dir, "pglite") })
    yield* Effect.scoped(Effect.provide(migrate, PgClient.layerFrom(makePgliteClient(pglite))))
    const dump = yield* Effect.promise(() => pglite.database.dumpDataDir("none"))
    return new Uint8Array(yield* Effect.promise(() => dump.arrayBuffer()))
  }))

export default async (project: TestProject) => {
  const dir = mkdtempSync(join(tmpdir(), "tapeline-test-"))
  const dump = join(dir, "pglite.tar")
  const [server] = await Promise.all([
    // The tests never cut the power, so the database need not write to the disk durably.
    startPostgres({ settings: { fsync: "off", max_connections: "200", max_wal_size: "128MB" } }),
    Effect.runPromise(dumpPglite(dir)).then((bytes) => writeFileSync(dump, bytes))
  ])
  const template = await makeTemplate(server.url)
  project.provide("postgres", server.url)
  project.provide("postgresTemplate", template.name)
  project.provide("pgliteDump", dump)
  return async () => {
    await template.drop().finally(server.stop)
    rmSync(dir, { recursive: true, force: true })
  }
}
