import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { latestMigration, layerPostgres, migrate, readUpgradePlan } from "@tapeline/postgres"
import { Effect, Layer, type Scope } from "effect"
import { type Backfill, progressTable, runBackfill } from "../src/upgrades/backfills.ts"
import { type Client, makeFreshDatabase, makeMigratedDatabase } from "./support/databases.ts"
import { runMigrationsBefore } from "./support/migrateBefore.ts"

const onDatabase = <A, E>(
  database: typeof makeFreshDatabase,
  use: (sql: PgClient.PgClient, url: string) => Effect.Effect<A, E, Client | Scope.Scope>
) =>
  Effect.flatMap(
    database,
    ({ url }) => Effect.provide(Effect.flatMap(PgClient.PgClient, (sql) => use(sql, url)), layerPostgres({ url }))
  )

const nothingPending = {
  current_migration: latestMigration,
  target_migration: latestMigration,
  migrations: [],
  backfills: [],
  processes: 0,
  problems: []
}

describe("the plan of an upgrade", () => {
  it.live("has every migration for a new database, which it leaves empty, and none afterwards", () =>
    onDatabase(makeFreshDatabase, (sql) =>
      Effect.gen(function*() {
        const plan = yield* readUpgradePlan()
        assert.deepInclude(plan, { current_migration: null, target_migration: latestMigration, problems: [] })
        assert.deepStrictEqual(plan.migrations[0], {
          name: "0018_baseline",
          summary: "creates the schema",
          locks: [],
          scans: [],
          estimated_seconds: 0
        })
        const [row] = yield* sql`select count(*)::integer as tables from pg_class
          where relnamespace = 'public'::regnamespace`
        assert.deepStrictEqual(row, { tables: 0 })
        yield* migrate
        assert.deepInclude(yield* readUpgradePlan(), nothingPending)
      })))

  it.live("estimates migrations by the size of the tables that they read, and finds missing privileges", () =>
    onDatabase(makeFreshDatabase, (sql, url) =>
      Effect.gen(function*() {
        yield* runMigrationsBefore("0021")
        const small = (yield* readUpgradePlan()).migrations
        assert.deepStrictEqual(small.map(({ name }) => name.slice(0, 4)).slice(0, 2), ["0021", "0022"])
        assert.strictEqual(small[0]!.estimated_seconds, 2)
        yield* sql.unsafe(`insert into accounts (name, plan, created_at) select repeat('x', 1500) || n, 'free', 0
          from generate_series(1, 20000) n`)
        const large = (yield* readUpgradePlan()).migrations
        assert.isAbove(large[0]!.estimated_seconds, small[0]!.estimated_seconds)
        assert.deepStrictEqual(large.at(-1), small.at(-1))

        const role = `r_${crypto.randomUUID().replaceAll("-", "")}`
        yield* sql.unsafe(`create role ${role} login password 'p'`)
        yield* sql.unsafe(`grant select on tapeline_migrations to ${role}`)
        const address = new URL(url)
        Object.assign(address, { username: role, password: "p" })
        const { problems } = yield* Effect.provide(readUpgradePlan(), layerPostgres({ url: address.href }), {
          local: true
        })
        assert.deepStrictEqual(problems, [
          `The role ${role} must be allowed to create tables in its schema.`,
          `The role ${role} must own these tables: accounts, conversations, credit_months, generations, keys, task_firings.`
        ])
        yield* sql.unsafe(`revoke select on tapeline_migrations from ${role}`)
        const error = yield* Effect.flip(
          Effect.provide(readUpgradePlan(), layerPostgres({ url: address.href }), { local: true })
        )
        assert.include(error.message, "PostgreSQL cannot be used: the role lacks a privilege")
        yield* sql.unsafe(`drop role ${role}`)
      })))

  it.live("reports a newer schema, a schema that is too old, and the versions of sessions", () =>
    onDatabase(makeMigratedDatabase, (sql, url) =>
      Effect.gen(function*() {
        for (
          const applicationName of ["tapeline", "tapeline 0.2.0", "tapeline 0.3.0-rc.1", "tapeline-cluster", "psql"]
        ) {
          const other = yield* Layer.build(Layer.fresh(layerPostgres({ url, applicationName })))
          yield* Effect.provideContext(migrate, other)
        }
        const { versions } = yield* readUpgradePlan()
        assert.deepStrictEqual(versions.map(({ version }) => version), ["0.2.0", "0.3.0-rc.1", null])
        yield* sql.unsafe("insert into tapeline_migrations (migration_id, name) values (9999, 'later')")
        const newer = yield* readUpgradePlan()
        assert.deepStrictEqual(newer.migrations, [])
        assert.include(newer.problems[0], `its schema is at migration 9999, and this version knows migrations up to`)
        yield* sql.unsafe("update tapeline_migrations set migration_id = -migration_id")
        yield* sql.unsafe("insert into tapeline_migrations (migration_id, name) values (17, 'old')")
        assert.include(
          (yield* readUpgradePlan()).problems[0],
          "its schema is at migration 17, and this version needs 18"
        )
      })))

  it.live("estimates a backfill by its measured rate, and omits a finished one", () =>
    onDatabase(makeMigratedDatabase, (sql) =>
      Effect.gen(function*() {
        const backfill: Backfill = {
          name: "sizes",
          summary: "stores sizes",
          table: "notes",
          key: ["id"],
          change: "update notes n set size = 1 from batch b where n.id = b.id"
        }
        yield* sql.unsafe("create table notes (id bigint primary key, size integer)")
        yield* sql.unsafe("insert into notes select n from generate_series(1, 20000) n")
        yield* sql.unsafe("analyze notes")
        const pending = { name: "sizes", summary: "stores sizes", table: "notes", estimated_rows: 20_000 }
        assert.deepStrictEqual((yield* readUpgradePlan([backfill])).backfills, [
          { ...pending, done_rows: 0, estimated_seconds: 8 }
        ])
        yield* runBackfill(sql, backfill)
        assert.deepStrictEqual((yield* readUpgradePlan([backfill])).backfills, [])
        yield* sql.unsafe(`update ${progressTable} set finished_at = null, rows = 5000, busy_ms = 10000`)
        assert.deepStrictEqual((yield* readUpgradePlan([backfill])).backfills, [
          { ...pending, done_rows: 5_000, estimated_seconds: 60 }
        ])
      })))
})
