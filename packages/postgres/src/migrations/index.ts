import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Predicate, Schema } from "effect"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { DirectSessions } from "../connection/DirectSessions.ts"
import { reasonOf } from "../connection/failure.ts"
import access from "./0001_access.ts"
import ledger from "./0002_ledger.ts"
import requestWindows from "./0003_request_windows.ts"
import creditReservations from "./0004_credit_reservations.ts"
import monthsByAccount from "./0005_months_by_account.ts"
import monthsOpened from "./0006_months_opened.ts"
import whatSomebodyHolds from "./0007_what_somebody_holds.ts"
import derivedDays from "./0008_derived_days.ts"
import newsIndex from "./0009_news_index.ts"
import artifacts from "./0010_artifacts.ts"
import packedVectors from "./0011_packed_vectors.ts"
import agent from "./0012_agent.ts"
import journal from "./0013_journal.ts"
import tasks from "./0014_tasks.ts"
import market from "./0015_market.ts"
import sessions from "./0016_sessions.ts"
import usageByDay from "./0017_usage_by_day.ts"
import identities from "./0018_identities.ts"
import conversationScopes from "./0019_conversation_scopes.ts"
import type { StatementFailed } from "./statements.ts"

type Migrations = Readonly<Record<string, Effect.Effect<void, SqlError | StatementFailed, SqlClient>>>

const migrations: Migrations = {
  "0001_access": access,
  "0002_ledger": ledger,
  "0003_request_windows": requestWindows,
  "0004_credit_reservations": creditReservations,
  "0005_months_by_account": monthsByAccount,
  "0006_months_opened": monthsOpened,
  "0007_what_somebody_holds": whatSomebodyHolds,
  "0008_derived_days": derivedDays,
  "0009_news_index": newsIndex,
  "0010_artifacts": artifacts,
  "0011_packed_vectors": packedVectors,
  "0012_agent": agent,
  "0013_journal": journal,
  "0014_tasks": tasks,
  "0015_market": market,
  "0016_sessions": sessions,
  "0017_usage_by_day": usageByDay,
  "0018_identities": identities,
  "0019_conversation_scopes": conversationScopes
}

/** The number of the newest migration. */
export const latestMigration = Object.keys(migrations).length

const table = "tapeline_migrations"

/** The database cannot be used at the start. The message says why, in one line and without a value. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  /** True when it is the way for sessions of their own that fails, and that is another one than the stores' own. */
  direct: Schema.Boolean,
  /** True of the database in this process, which no variable names. */
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
 * Runs what is missing of some migrations, in one transaction and under a lock of the table that records them: of
 * several processes that start together one does the work and the others wait for it, and a migration that fails leaves
 * everything as it was. A session of its own does it, in a start's time and not in a call's.
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

/** Brings the schema up to date. */
export const migrate = runMigrations(migrations)

/** `migrate`, when the layer is built; it looks first whether the database can be used at all, on both ways to it. */
export const layerMigrations: Layer.Layer<never, DatabaseUnavailable, SqlClient> = Layer.effectDiscard(
  Effect.gen(function*() {
    const [sql, direct] = yield* Effect.all([SqlClient, DirectSessions])
    const embedded = Predicate.hasProperty(sql, "driver") && sql.driver === "pglite"
    const failed = (direct: boolean) => (error: unknown) =>
      new DatabaseUnavailable({ direct, embedded, reason: reasonOf(error) })
    yield* Effect.mapError(sql`select 1`, failed(false))
    yield* Effect.mapError(migrate, failed(direct?.apart ?? false))
  })
)

/** True when every migration that this program knows is done; fails when the database does not answer. */
export const isMigrated: Effect.Effect<boolean, SqlError, SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient
  const [found] = yield* sql<{ there: boolean }>`select to_regclass(${table}) is not null as there`
  if (found?.there !== true) return false
  const [row] = yield* sql<{ latest: number | null }>`select max(migration_id) as latest from ${sql(table)}`
  return (row?.latest ?? 0) >= latestMigration
})
