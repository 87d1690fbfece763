import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Predicate, Schema } from "effect"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { describeFailure } from "../connection/describeFailure.ts"
import { DirectSessions } from "../connection/sessions.ts"
import baseline from "./0018_baseline.ts"
import conversationScopes from "./0019_conversation_scopes.ts"
import administration from "./0021_administration.ts"
import webhooks from "./0025_webhooks.ts"
import { oldestUpgradable, SchemaTooOld } from "./SchemaTooOld.ts"
import type { StatementFailed } from "./statements.ts"

type Migrations = Readonly<Record<string, Effect.Effect<void, SqlError | StatementFailed | SchemaTooOld, SqlClient>>>

const table = "tapeline_migrations"

/**
 * Fails if the database ran earlier migrations than the baseline. The migrator records the migrations that it is about
 * to run before it runs them, so they do not count here.
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
  "0021_administration": administration,
  "0025_webhooks": webhooks
}

/** The number of the newest migration. */
export const latestMigration = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

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
    const toUnavailable = (direct: boolean) => (error: unknown) =>
      new DatabaseUnavailable({ direct, embedded, reason: describeFailure(error) })
    yield* Effect.mapError(sql`select 1`, toUnavailable(false))
    yield* Effect.mapError(migrate, toUnavailable(direct?.hasOwnUrl ?? false))
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
