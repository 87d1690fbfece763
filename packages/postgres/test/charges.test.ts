import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { type ChargeRequest, KeyStore, LedgerStore } from "@tapeline/core/engine"
import { Effect } from "effect"
import { makeFreshPostgres, withLockHeld, withStores } from "./support/databases.ts"

const decemberMs = Date.UTC(2026, 11, 1)
const novemberMs = decemberMs - 1

const newAccount = Effect.gen(function*() {
  yield* (yield* LedgerStore).definePlans({ charges: 10 }, { at: novemberMs })
  return (yield* (yield* KeyStore).createAccount({ name: "charges", plan: "charges", now: novemberMs })).id
})

const makeCharge = (account: number) =>
  Effect.map(
    Effect.flatMap(LedgerStore, (store) => store.callIds(1)),
    ([id]): ChargeRequest => ({
      id: id!,
      account,
      actor: { _tag: "Session", session: 1 },
      tool: "get_price",
      credits: 1,
      idempotency: null,
      response: null,
      isRepeated: false
    })
  )

layer(withStores(makeFreshPostgres()), { excludeTestServices: true, timeout: 60_000 })("a batch of charges", (it) => {
  it.effect("charges no account of which another transaction locks a month that may contain the charge", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const store = yield* LedgerStore
      const [locked, free] = [yield* newAccount, yield* newAccount]
      const charges = [yield* makeCharge(locked), yield* makeCharge(free)]
      yield* store.charge(charges, { at: novemberMs })
      const others = [yield* makeCharge(locked), yield* makeCharge(free)]
      yield* store.charge(others, { at: decemberMs })
      const repeated = [...charges, ...others].map((charge) => ({ ...charge, isRepeated: true }))
      const chargeWithLock = (month: number, requests: ReadonlyArray<ChargeRequest>, at: number) =>
        Effect.map(
          withLockHeld(
            sql,
            "select 1 from credit_months where account = $1 and month = $2 for no key update",
            [locked, month]
          )(store.charge(requests, { at, waitMs: 1 })),
          (results) => results.map(({ _tag }) => _tag)
        )
      const ofBoth = ["Busy", "Charged", "Busy", "Charged"]
      assert.deepStrictEqual(yield* chargeWithLock(202611, repeated, decemberMs), ofBoth)
      assert.deepStrictEqual(yield* chargeWithLock(202612, repeated, novemberMs), ofBoth)
      const inFirstHour = [yield* makeCharge(locked), yield* makeCharge(free)]
      assert.deepStrictEqual(yield* chargeWithLock(202611, inFirstHour, decemberMs), ["Busy", "Charged"])
      const results = yield* store.charge(repeated, { at: decemberMs })
      assert.deepStrictEqual(
        results.map((result) => result._tag === "Charged" ? result.call.month : null),
        ["2026-11", "2026-11", "2026-12", "2026-12"]
      )
      assert.strictEqual((yield* store.balance(locked, "2026-11"))?.used, 1)
      assert.strictEqual((yield* store.balance(locked, "2026-12"))?.used, 1)
    }))

  it.effect("charges nothing if the day ends before the batch has its locks", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const store = yield* LedgerStore
      const account = yield* newAccount
      yield* store.charge([yield* makeCharge(account)], { at: novemberMs })
      const charge = yield* makeCharge(account)
      yield* sql`create schema test_clock`
      yield* sql`create sequence test_clock.readings`
      const reading = `case when nextval('test_clock.readings') = 1 then ${novemberMs} else ${decemberMs} end`
      yield* sql.unsafe(`create function test_clock.clock_timestamp() returns timestamptz language sql as $$
        select to_timestamp((${reading}) / 1000.0)
      $$`)
      const results = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`set local search_path = test_clock, pg_catalog, public`
        return yield* store.charge([charge])
      }))
      assert.deepStrictEqual(results, [{ _tag: "Busy" }])
      assert.strictEqual((yield* store.balance(account, "2026-11"))?.used, 1)
      assert.strictEqual((yield* store.balance(account, "2026-12"))?.used, 0)
    }))
})
