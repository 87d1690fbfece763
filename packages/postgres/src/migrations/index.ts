import { Effect, Layer } from "effect"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import access from "./0001_access.ts"
import ledger from "./0002_ledger.ts"
import requestWindows from "./0003_request_windows.ts"

type Migrations = Readonly<Record<string, Effect.Effect<void, SqlError, SqlClient>>>

const migrations: Migrations = {
  "0001_access": access,
  "0002_ledger": ledger,
  "0003_request_windows": requestWindows
}

/** The number of the newest migration. */
export const latestMigration = Object.keys(migrations).length

const table = "tapeline_migrations"

/**
 * Runs what is missing of some migrations, in one transaction and under a lock of the table that records them: of
 * several processes that start together one does the work and the others wait for it, and a migration that fails leaves
 * everything as it was.
 */
export const runMigrations = (
  migrations: Migrations
): Effect.Effect<void, Migrator.MigrationError | SqlError, SqlClient> =>
  Effect.asVoid(Migrator.make({})({ loader: Migrator.fromRecord(migrations), table }))

/** Brings the schema up to date. */
export const migrate = runMigrations(migrations)

/** `migrate`, when the layer is built. */
export const layerMigrations: Layer.Layer<never, Migrator.MigrationError | SqlError, SqlClient> = Layer.effectDiscard(
  migrate
)

/** True when every migration that this program knows is done; fails when the database does not answer. */
export const isMigrated: Effect.Effect<boolean, SqlError, SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient
  const [found] = yield* sql<{ there: boolean }>`select to_regclass(${table}) is not null as there`
  if (found?.there !== true) return false
  const [row] = yield* sql<{ latest: number | null }>`select max(migration_id) as latest from ${sql(table)}`
  return (row?.latest ?? 0) >= latestMigration
})
