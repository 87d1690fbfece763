import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer as withLayer } from "@effect/vitest"
import { checkReady, isMigrated, layerMigrations, layerPostgres, migrate, runMigrations } from "@tapeline/postgres"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { describeFailure } from "../src/connection/describeFailure.ts"
import { statements } from "../src/migrations/statements.ts"
import {
  type Client,
  makeFreshDatabase,
  makeFreshPglite,
  makeMigratedDatabase,
  waitForLockWaiters,
  withLockHeld
} from "./support/databases.ts"

const tables = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.map(
    sql<
      { name: string }
    >`select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
    (rows) => rows.map(({ name }) => name)
  ))

const run = (text: string) => Effect.flatMap(PgClient.PgClient, (sql) => Effect.asVoid(sql.unsafe(text)))

const empty = Effect.andThen(run("drop schema public cascade"), run("create schema public"))

const migrations = (name: string, client: Layer.Layer<Client>) =>
  withLayer(client, { excludeTestServices: true, timeout: 60_000 })(`migrations: ${name}`, (it) => {
    it.effect("change nothing if one of them fails, and run after it is fixed", () =>
      Effect.gen(function*() {
        yield* empty
        const workingMigrations = { "0001_first": run("create table first (id integer)") }
        const brokenMigrations = {
          ...workingMigrations,
          "0002_second": Effect.andThen(run("create table second (id integer)"), run("create table first (id text)"))
        }
        const error = yield* Effect.flip(runMigrations(brokenMigrations))
        assert.strictEqual(error._tag, "MigrationError")
        assert.deepStrictEqual((yield* tables).filter((table) => table !== "tapeline_migrations"), [])
        assert.isFalse(yield* isMigrated)
        yield* runMigrations({ ...workingMigrations, "0002_second": run("create table second (id integer)") })
        assert.deepStrictEqual(yield* tables, ["first", "second", "tapeline_migrations"])
      }))

    it.effect("report the statement that failed and the server's message, without data", () =>
      Effect.gen(function*() {
        yield* empty
        const failing = (...texts: ReadonlyArray<string>) =>
          Effect.map(Effect.flip(runMigrations({ "0001_notes": statements(...texts) })), describeFailure)
        assert.strictEqual(
          yield* failing("create table notes (note text)", "create tabel\n  other (id integer)"),
          `Migration "1_notes" failed at statement 2 of 2, "create tabel other (id integer)": ` +
            `syntax error at or near "tabel" (42601)`
        )
        assert.strictEqual(
          yield* failing("select 'a-secret'::text::integer"),
          `Migration "1_notes" failed at statement 1 of 1, "select 'a-secret'::text::integer" (22P02)`
        )
        yield* run("create table plans (id integer)")
        const error = yield* Effect.flip(Layer.build(layerMigrations))
        assert.match(error.message, /failed at statement \d+ of \d+, "create table plans.*already exists \(42P07\)$/)
        assert.match(error.message, name === "PGlite" ? /^The embedded database / : /^PostgreSQL /)
      }))

    it.effect("make the database ready, and change nothing when they run again", () =>
      Effect.gen(function*() {
        yield* empty
        assert.strictEqual((yield* Effect.flip(checkReady))._tag, "StoreUnavailable")
        yield* migrate
        yield* checkReady
        const before = yield* tables
        yield* migrate
        assert.deepStrictEqual(yield* tables, before)
      }))
  })

migrations("PGlite", makeFreshPglite())

describe("migrations", () => {
  migrations(
    "PostgreSQL",
    Layer.unwrap(Effect.map(makeFreshDatabase, ({ url }) => layerPostgres({ url }))).pipe(Layer.orDie)
  )

  describe("migrations: several processes", () => {
    it.live("run the migrations once if they start together", () =>
      Effect.gen(function*() {
        const { url } = yield* makeFreshDatabase
        const start = Effect.provide(Effect.andThen(migrate, isMigrated), layerPostgres({ url }), { local: true })
        const results = yield* Effect.all(Array.from({ length: 6 }, () => start), { concurrency: "unbounded" })
        assert.deepStrictEqual(results, Array.from({ length: 6 }, () => true))
      }))

    it.live("start although one migrates for longer than the statement timeout, and running ones stay ready", () =>
      Effect.gen(function*() {
        const { url } = yield* makeFreshDatabase
        const statementTimeoutMs = 1_500
        const node = () => Layer.build(Layer.fresh(layerPostgres({ url, statementTimeoutMs })))
        const [running, first, second] = [yield* node(), yield* node(), yield* node()]
        yield* Effect.provideContext(Effect.andThen(migrate, checkReady), running)
        const hasStarted = yield* Deferred.make<void>()
        const long = {
          "0018_baseline": Effect.void,
          "9999_long": Effect.andThen(
            Deferred.succeed(hasStarted, undefined),
            run(`select pg_sleep(${2 * statementTimeoutMs / 1000})`)
          )
        }
        const migrating = yield* Effect.forkChild(Effect.provideContext(runMigrations(long), first))
        yield* Deferred.await(hasStarted)
        const waiting = yield* Effect.forkChild(Effect.provideContext(runMigrations(long), second))
        yield* Effect.provideContext(checkReady, running)
        yield* Fiber.join(migrating)
        yield* Fiber.join(waiting)
      }))
  })

  describe("migrations next to a long transaction, such as a dump", () => {
    const statementTimeoutMs = 5_000
    const makeClients = Effect.gen(function*() {
      const { url } = yield* makeMigratedDatabase
      const build = (options = {}) => Layer.build(Layer.fresh(layerPostgres({ url, ...options })))
      // The session of a dump may be idle in its transaction for any time.
      const dump = Context.get(yield* build(), PgClient.PgClient)
      return { dump, calls: yield* build({ statementTimeoutMs }), start: yield* build({ statementTimeoutMs }) }
    })

    it.live("let calls use a table that a migration waits for, and run after the transaction", () =>
      Effect.gen(function*() {
        const { calls, dump, start } = yield* makeClients
        const change = { "9999_change": run("alter table accounts add column extra text") }
        const migrating = yield* withLockHeld(dump, "select 1 from accounts limit 1")(Effect.gen(function*() {
          const migrating = yield* Effect.forkChild(Effect.provideContext(runMigrations(change), start))
          yield* waitForLockWaiters(dump, 1)
          yield* Effect.provideContext(run("select count(*) from accounts"), calls)
          return migrating
        }))
        yield* Fiber.join(migrating)
        yield* Effect.provideContext(run("select extra from accounts"), calls)
      }))

    it.live("do not wait for it if the schema is up to date", () =>
      Effect.gen(function*() {
        const { dump, start } = yield* makeClients
        yield* withLockHeld(dump, "select 1 from tapeline_migrations")(
          Effect.timeout(Effect.provideContext(migrate, start), statementTimeoutMs)
        )
      }))
  })
})
