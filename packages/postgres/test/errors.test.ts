import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { KeyStore, StoreUnavailable, UnstorableValue } from "@tapeline/core/engine"
import { checkReady, layerPostgres } from "@tapeline/postgres"
import { Cause, Effect, Option, Stream } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { inject } from "vitest"
import { mapSqlErrors } from "../src/errors.ts"
import { RowLocked, rowLocked, runTransaction } from "../src/rowLocks.ts"
import { makeFreshPglite, withStores } from "./support/databases.ts"

const toTexts = (error: unknown): string =>
  JSON.stringify([error, String(error), ...(error instanceof Error ? [error.stack, String(error.cause)] : [])])

describe("failures of the database", () => {
  it.live("turns a bug into a defect that contains no key hash", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const hash = "c0ffee".padEnd(64, "0")
      const { id } = yield* keys.createAccount({ name: "a", plan: "free", now: 0 })
      const key = { account: id, name: "k", prefix: "p", hash, scopes: [], expiresAt: null, limit: 5, now: 0 }
      yield* keys.createKey(key)
      const cause = yield* Effect.flip(Effect.sandbox(keys.createKey(key)))
      assert.isTrue(Cause.hasDies(cause))
      const text = Cause.pretty(cause) +
        cause.reasons.map((reason) => Cause.isDieReason(reason) ? toTexts(reason.defect) : "").join()
      assert.include(text, "keys_hash_key")
      assert.notInclude(text, "c0ffee")
    }).pipe(Effect.provide(withStores(makeFreshPglite()))))

  it.live("reports a value that cannot be stored as UnstorableValue, not as an outage", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const mapError = <A>(statement: Effect.Effect<A, SqlError>) =>
        Effect.map(Effect.flip(Effect.sandbox(mapSqlErrors("test")(statement))), Cause.squash)
      for (
        const [statement, code] of [
          [sql`select ${"a\u0000b"}::text`, "22021"],
          [sql`select ${"{\"a\":\"\\u0000\"}"}::jsonb`, "22P05"],
          [sql`select ${"many"}::integer`, "22P02"],
          [sql`select ${2 ** 40}::integer`, "22003"]
        ] as const
      ) {
        const error = yield* mapError(statement)
        assert.instanceOf(error, UnstorableValue)
        assert.strictEqual(error.code, code)
      }
      // A value that the client cannot encode is no outage either.
      assert.notInstanceOf(yield* mapError(sql`select ${Symbol("s") as unknown as string}`), StoreUnavailable)
    }).pipe(Effect.provide(makeFreshPglite())))

  it.live("names a full disk as the reason", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const full = sql`do $$ begin raise exception using errcode = '53100'; end $$`
      const error = yield* Effect.flip(mapSqlErrors("test")(full))
      assert.instanceOf(error, StoreUnavailable)
      assert.include(error.message, "its disk is full")
    }).pipe(Effect.provide(makeFreshPglite())))

  it.live("names the reason why a server rejects or ends sessions", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      for (
        const [code, reason] of [
          ["57P03", "it is starting, stopping or recovering"],
          ["57P01", "the server ended the session"],
          ["53300", "too many connections"]
        ] as const
      ) {
        const failingStatement = sql.unsafe(`do $$ begin raise exception using errcode = '${code}'; end $$`)
        const error = yield* Effect.flip(mapSqlErrors("test")(failingStatement))
        assert.instanceOf(error, StoreUnavailable)
        assert.match(String(error.cause), new RegExp(`ConnectionError ${code}: .*${reason}`))
      }
    }).pipe(Effect.provide(makeFreshPglite())))

  it.live("reports that no changes are received while the server is unreachable", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      assert.isFalse(yield* keys.isReceivingChanges)
      assert.deepStrictEqual(yield* Stream.runHead(keys.changes), Option.some({ _tag: "Everything" }))
      assert.strictEqual((yield* Effect.flip(keys.findByHashes(["0"]))).store, "KeyStore")
    }).pipe(Effect.provide(withStores(layerPostgres({ url: "postgres://nobody@127.0.0.1:1/none" })))))
})

describe("failures of the database", () => {
  it.live("reports a transaction whose session was cut as an outage, though its rollback fails", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const failByDisconnect = sql.withTransaction(sql`select pg_terminate_backend(pg_backend_pid())`)
      const idle = sql.withTransaction(Effect.andThen(
        sql`set local idle_in_transaction_session_timeout = 1`,
        Effect.andThen(Effect.sleep(100), sql`select 1`)
      ))
      for (const failConnection of [failByDisconnect, idle]) {
        const error = yield* Effect.flip(mapSqlErrors("test")(failConnection))
        assert.instanceOf(error, StoreUnavailable)
        assert.deepStrictEqual(yield* Effect.eventually(sql`select 1 as one`), [{ one: 1 }])
      }
    }).pipe(Effect.provide(layerPostgres({ url: inject("postgres") }))))

  it.live("reports a session that is lost within a transaction as one outage", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const failByDisconnect = sql`select pg_terminate_backend(pg_backend_pid())`
      const failByNestedDisconnect = mapSqlErrors("inner")(failByDisconnect)
      for (
        const inner of [
          sql.withTransaction(failByDisconnect),
          sql.withTransaction(failByNestedDisconnect),
          sql.withTransaction(Effect.orDie(failByDisconnect)),
          sql.withTransaction(Effect.orDie(failByNestedDisconnect))
        ]
      ) {
        const error = yield* Effect.flip(
          mapSqlErrors("test")(Effect.asVoid<unknown, SqlError | StoreUnavailable, never>(inner))
        )
        assert.instanceOf(error, StoreUnavailable)
      }
      // A bug is still reported as a bug if the transaction cannot be rolled back.
      const bug = new Error("a bug")
      const failWithBug = Effect.andThen(Effect.ignore(failByDisconnect), Effect.die(bug))
      const cause = yield* Effect.flip(Effect.sandbox(mapSqlErrors("test")(sql.withTransaction(failWithBug))))
      assert.include(cause.reasons.filter(Cause.isDieReason).map(({ defect }) => defect), bug)
    }).pipe(Effect.provide(layerPostgres({ url: inject("postgres") }))))

  it.live("replaces a session whose server rejects changes, as a standby does", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* sql`set default_transaction_read_only = on`
      const error = yield* Effect.flip(mapSqlErrors("test")(sql`create temporary sequence of_failover`))
      assert.instanceOf(error, StoreUnavailable)
      assert.include(String(error.cause), "check that the address leads to the primary")
      assert.deepStrictEqual(yield* sql`create temporary sequence of_failover`, [])
    }).pipe(Effect.provide(layerPostgres({ url: inject("postgres"), maxConnections: 1 }))))

  it.live("repeats a transaction that found a locked row, although its session is lost before the rollback", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const cut = sql`select pg_terminate_backend(pg_backend_pid())`
      const attempt = runTransaction(sql, Effect.andThen(Effect.ignore(cut), Effect.fail(new RowLocked())))
      assert.strictEqual(yield* attempt, rowLocked)
    }).pipe(Effect.provide(layerPostgres({ url: inject("postgres") }))))

  it.live("reports an unreachable server as not ready, without its password", () =>
    Effect.gen(function*() {
      const url = new URL(inject("postgres"))
      url.password = "sesame-open"
      const readinessError = yield* Effect.flip(Effect.provide(checkReady, layerPostgres({ url: url.href })))
      url.port = "1"
      const connectionFailure = yield* Effect.flip(Effect.provide(checkReady, layerPostgres({ url: url.href })))
      for (const error of [readinessError, connectionFailure]) {
        assert.strictEqual(error._tag, "StoreUnavailable")
        assert.notInclude(toTexts(error), "sesame")
      }
    }))
})
