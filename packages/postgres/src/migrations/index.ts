import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Predicate, Schema } from "effect"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { describeFailure } from "../connection/describeFailure.ts"
import { DirectSessions } from "../connection/sessions.ts"
import baseline from "./0018_baseline.ts"
import conversationScopes from "./0019_conversation_scopes.ts"
import messageScopes from "./0020_message_scopes.ts"
import administration from "./0021_administration.ts"
import ledgerAdjustments from "./0022_ledger_adjustments.ts"
import adminTokens from "./0024_admin_tokens.ts"
import eventUpkeep from "./0025_webhooks.ts"
import webhooks from "./0026_webhooks.ts"
import keyLimits from "./0027_key_limits.ts"
import erasure from "./0028_erasure.ts"
import { oldestUpgradable, SchemaTooOld } from "./SchemaTooOld.ts"
import type { StatementFailed } from "./statements.ts"

type Migrations = Readonly<Record<string, Effect.Effect<void, SqlError | StatementFailed | SchemaTooOld, SqlClient>>>

const table = "tapeline_migrations"

/**
 * Fails if the database has run only migrations before the baseline. The migrator records all migrations of a run
 * before it runs them, so the query counts only earlier migrations.
 */
const rejectOldSchema: Effect.Effect<void, SqlError | SchemaTooOld, SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient
  const [row] = yield* sql<{ latest: number | null }>`select max(migration_id) as latest from ${sql(table)}
    where migration_id < ${oldestUpgradable}`
  const latest = row?.latest ?? null
  if (latest !== null) return yield* new SchemaTooOld({ latest })
})

const migrations: Migrations = {
  "0018_baseline": Effect.andThen(rejectOldSchema, baseline),
  "0019_conversation_scopes": conversationScopes,
  "0020_message_scopes": messageScopes,
  "0021_administration": administration,
  "0022_ledger_adjustments": ledgerAdjustments,
  "0024_admin_tokens": adminTokens,
  "0025_webhooks": eventUpkeep,
  "0026_webhooks": webhooks,
  "0027_key_limits": keyLimits,
  "0028_erasure": erasure
}

/** The number of the newest migration. */
export const latestMigration = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

/** The database cannot be used at startup. `reason` states why in one line, without values of the configuration. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  /** Whether the connection with `directUrl` failed, and not the connection with `url`. */
  direct: Schema.Boolean,
  /** Whether the database is the embedded database, which no environment variable names. */
  embedded: Schema.Boolean,
  reason: Schema.String
}) {
  override get message(): string {
    return this.embedded
      ? `The embedded database cannot be used: ${this.reason}`
      : `PostgreSQL cannot be used${this.direct ? " directly" : ""}: ${this.reason}`
  }
}

/**
 * Runs the missing migrations in one transaction, with a lock on the table that records migrations. If several
 * processes start at once, one process runs the migrations and the others wait. A failed run of migrations leaves the
 * database unchanged. Migrations run on a direct session with the longer time limit of the start.
 */
export const runMigrations = (
  migrations: Migrations
): Effect.Effect<void, Migrator.MigrationError | SqlError, SqlClient> =>
  Effect.flatMap(DirectSessions, (direct) => {
    const run = Effect.asVoid(Migrator.make({})({ loader: Migrator.fromRecord(migrations), table }))
    return direct === null ? run : run.pipe(
      Effect.provideService(SqlClient, direct.client),
      Effect.provideService(PgClient.PgClient, direct.client)
    )
  })

/** Updates the schema to the newest migration. */
export const migrate = runMigrations(migrations)

/**
 * Runs `migrate` when the layer is built. First checks whether the database can be used at all, with `url` and with
 * `directUrl`.
 */
export const layerMigrations: Layer.Layer<never, DatabaseUnavailable, SqlClient> = Layer.effectDiscard(
  Effect.gen(function*() {
    const [sql, direct] = yield* Effect.all([SqlClient, DirectSessions])
    const embedded = Predicate.hasProperty(sql, "driver") && sql.driver === "pglite"
    const toUnavailable = (direct: boolean) => (error: unknown) =>
      new DatabaseUnavailable({ direct, embedded, reason: describeFailure(error) })
    yield* Effect.mapError(sql`select 1`, toUnavailable(false))
    yield* Effect.mapError(migrate, toUnavailable(direct?.hasOwnUrl ?? false))
  })
)

/** Whether the database has run every migration that this program knows. Fails if the database does not respond. */
export const isMigrated: Effect.Effect<boolean, SqlError, SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient
  const [found] = yield* sql<{ there: boolean }>`select to_regclass(${table}) is not null as there`
  if (found?.there !== true) return false
  const [row] = yield* sql<{ latest: number | null }>`select max(migration_id) as latest from ${sql(table)}`
  return (row?.latest ?? 0) >= latestMigration
})
