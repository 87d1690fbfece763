import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Predicate, Schema } from "effect"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { describeFailure, listCauses } from "../connection/describeFailure.ts"
import { DirectSessions, runWithBriefLockWaits } from "../connection/sessions.ts"
import { isLockTimeout } from "../rowLocks.ts"
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
import proposals from "./0029_proposals.ts"
import charges from "./0030_charges.ts"
import { oldestUpgradable, SchemaTooOld } from "./SchemaTooOld.ts"
import type { StatementFailed } from "./statements.ts"

type Migrations = Readonly<Record<string, Effect.Effect<void, SqlError | StatementFailed | SchemaTooOld, SqlClient>>>

/** The table that lists the migrations that ran. */
export const migrationsTable = "tapeline_migrations"

const newestOf = (migrations: Migrations): number =>
  Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

/**
 * Fails if the database has run only migrations before the baseline. The migrator records all migrations of a run
 * before it runs them, so the query counts only earlier migrations.
 */
const rejectOldSchema: Effect.Effect<void, SqlError | SchemaTooOld, SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient
  const [row] = yield* sql<{ latest: number | null }>`select max(migration_id) as latest from ${sql(migrationsTable)}
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
  "0028_erasure": erasure,
  "0029_proposals": proposals,
  "0030_charges": charges
}

/** The migrations of this version in their order, with names such as `0018_baseline`. */
export const listMigrations: ReadonlyArray<{ readonly id: number; readonly name: string }> = Object.keys(migrations)
  .map((name) => ({ id: Number.parseInt(name, 10), name }))

/** The number of the newest migration. */
export const latestMigration = newestOf(migrations)

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

const hasRun = (migration: number): Effect.Effect<boolean, SqlError, SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const [found] = yield* sql<{ there: boolean }>`select to_regclass(${migrationsTable}) is not null as there`
    if (found?.there !== true) return false
    const [row] = yield* sql<{ latest: number | null }>`select max(migration_id) as latest from ${sql(migrationsTable)}`
    return (row?.latest ?? 0) >= migration
  })

/** Waits for other processes that migrate. Calls never need this lock. */
const lockMigrations = "select pg_advisory_xact_lock(hashtext('tapeline.migrations'))"

const isCausedByLockTimeout = (error: unknown): boolean =>
  listCauses(error).some((cause) => isSqlError(cause) && isLockTimeout(cause))

/**
 * Runs the missing migrations in one transaction. If several processes start at once, one process runs the migrations
 * and the others wait. A failed run of migrations leaves the database unchanged. Migrations run on a direct session
 * with the longer time limit of the start. They wait only briefly for each lock of a table, and then start again, so
 * that calls do not queue behind a migration that waits for a long transaction.
 */
export const runMigrations = (
  migrations: Migrations
): Effect.Effect<void, Migrator.MigrationError | SqlError, SqlClient> =>
  Effect.flatMap(DirectSessions, (direct) => {
    const run = Effect.asVoid(Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: migrationsTable }))
    if (direct === null) return run
    const { client } = direct
    const runUnlessDone = Effect.flatMap(hasRun(newestOf(migrations)), (isDone) =>
      isDone ? Effect.void : runWithBriefLockWaits(direct, {
        transaction: run,
        isTimeout: isCausedByLockTimeout,
        usedTables: "a table that a migration changes"
      }))
    return client.withTransaction(Effect.andThen(client.unsafe(lockMigrations), runUnlessDone)).pipe(
      Effect.provideService(SqlClient, client),
      Effect.provideService(PgClient.PgClient, client)
    )
  })

/** Updates the schema to the newest migration. */
export const migrate = runMigrations(migrations)

export const toDatabaseUnavailable = (sql: SqlClient, direct: boolean) => (error: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable({
    direct,
    embedded: Predicate.hasProperty(sql, "driver") && sql.driver === "pglite",
    reason: describeFailure(error)
  })

/**
 * Runs `migrate` when the layer is built. First checks whether the database can be used at all, with `url` and with
 * `directUrl`.
 */
export const layerMigrations: Layer.Layer<never, DatabaseUnavailable, SqlClient> = Layer.effectDiscard(
  Effect.gen(function*() {
    const [sql, direct] = yield* Effect.all([SqlClient, DirectSessions])
    yield* Effect.mapError(sql`select 1`, toDatabaseUnavailable(sql, false))
    yield* Effect.mapError(migrate, toDatabaseUnavailable(sql, direct?.hasOwnUrl ?? false))
  })
)

/** Whether the database has run every migration that this program knows. Fails if the database does not respond. */
export const isMigrated: Effect.Effect<boolean, SqlError, SqlClient> = hasRun(latestMigration)
