import { layerPglite, layerPostgres } from "@tapeline/postgres"
import { Effect, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { temporaryFolder } from "./process.ts"

/** A database for a server: the settings that select it, and access for the test. */
export interface TestDatabase {
  readonly environment: Readonly<Record<string, string>>
  /**
   * Runs statements on one connection. An embedded database admits one process at a time, so no server may be running.
   */
  readonly sql: <A, E>(use: (sql: SqlClient) => Effect.Effect<A, E>) => Effect.Effect<A>
}

export const makePglite = (
  options: { readonly isEmpty?: boolean } = {}
): Effect.Effect<TestDatabase, never, Scope.Scope> =>
  Effect.map(temporaryFolder, (dir) => {
    if (options.isEmpty !== true) cpSync(inject("emptyDataDir"), dir, { recursive: true })
    return {
      environment: { TAPELINE_DATA_DIR: dir },
      sql: (use) =>
        Effect.flatMap(SqlClient, use).pipe(
          Effect.provide(layerPglite({ dataDir: join(dir, "db") })),
          Effect.orDie
        )
    }
  })

const makePostgres = Effect.fnUntraced(function*(template: string): Effect.fn.Return<TestDatabase, never, Scope.Scope> {
  const dir = yield* temporaryFolder
  const server = inject("postgresServer")
  const runOn = (url: string): TestDatabase["sql"] => (use) =>
    Effect.flatMap(SqlClient, use).pipe(Effect.provide(layerPostgres({ url, maxConnections: 1 })), Effect.orDie)
  const name = `t_${crypto.randomUUID().replaceAll("-", "")}`
  yield* Effect.acquireRelease(
    runOn(server)((sql) => sql.unsafe(`create database ${name} template ${template}`).unprepared),
    () => runOn(server)((sql) => sql.unsafe(`drop database ${name} with (force)`).unprepared)
  )
  const url = new URL(server)
  url.pathname = `/${name}`
  return { environment: { DATABASE_URL: url.href, TAPELINE_DATA_DIR: dir }, sql: runOn(url.href) }
})

/** Creates a database with the current schema on the test run's PostgreSQL, and drops it when the scope ends. */
export const migratedPostgres: Effect.Effect<TestDatabase, never, Scope.Scope> = Effect.suspend(() =>
  makePostgres(inject("postgresTemplate"))
)

export const emptyPostgres: Effect.Effect<TestDatabase, never, Scope.Scope> = makePostgres("template0")

/** Returns the number of rows with derived data, and a digest of all their columns except the write time. */
export const readDerivedDigest = ({ sql }: TestDatabase) =>
  sql((sql) =>
    sql.unsafe<{ readonly rows: number; readonly digest: string }>(
      `select count(*)::integer as rows,
        md5(string_agg(
          concat_ws(' ', rule, series, day, until, revision, encode(bytes, 'hex')), ',' order by rule, series, day
        )) as digest from derived_days`
    )
  )
