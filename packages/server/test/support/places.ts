import { layerPglite, layerPostgres } from "@tapeline/postgres"
import { Effect, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { temporaryFolder } from "./process.ts"

/** The data storage of a server: the settings that name it, and access from outside the server. */
export interface Place {
  readonly environment: Readonly<Record<string, string>>
  /**
   * Runs statements on one connection. The embedded database serves one process at a time, so use this only while no
   * server runs on it.
   */
  readonly sql: <A, E>(use: (sql: SqlClient) => Effect.Effect<A, E>) => Effect.Effect<A>
}

/** Creates a new data folder, with the current schema unless `bare` is true. */
export const pglite = (options: { readonly bare?: boolean } = {}): Effect.Effect<Place, never, Scope.Scope> =>
  Effect.map(temporaryFolder, (dir) => {
    if (options.bare !== true) cpSync(inject("emptyDataDir"), dir, { recursive: true })
    return {
      environment: { TAPELINE_DATA_DIR: dir },
      sql: (use) =>
        Effect.flatMap(SqlClient, use).pipe(
          Effect.provide(layerPglite({ dataDir: join(dir, "db") })),
          Effect.orDie
        )
    }
  })

const postgresFrom = Effect.fnUntraced(function*(template: string): Effect.fn.Return<Place, never, Scope.Scope> {
  const dir = yield* temporaryFolder
  const server = inject("postgresServer")
  const on = (url: string): Place["sql"] => (use) =>
    Effect.flatMap(SqlClient, use).pipe(Effect.provide(layerPostgres({ url, maxConnections: 1 })), Effect.orDie)
  const name = `t_${crypto.randomUUID().replaceAll("-", "")}`
  yield* Effect.acquireRelease(
    on(server)((sql) => sql.unsafe(`create database ${name} template ${template}`).unprepared),
    () => on(server)((sql) => sql.unsafe(`drop database ${name} with (force)`).unprepared)
  )
  const url = new URL(server)
  url.pathname = `/${name}`
  return { environment: { DATABASE_URL: url.href, TAPELINE_DATA_DIR: dir }, sql: on(url.href) }
})

/** A new database on the test run's PostgreSQL, with the current schema. It is dropped when the scope ends. */
export const postgres: Effect.Effect<Place, never, Scope.Scope> = Effect.suspend(() =>
  postgresFrom(inject("postgresTemplate"))
)

/** The same, without a schema. */
export const barePostgres: Effect.Effect<Place, never, Scope.Scope> = postgresFrom("template0")
