import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer as withLayer } from "@effect/vitest"
import { LedgerStore, type UsageDimension, usageStart } from "@tapeline/core/engine"
import { isFullRun } from "@tapeline/testing/fullRun"
import { findRuleViolations } from "@tapeline/testing/ledger/rows"
import { Effect, Layer } from "effect"
import { type Client, makeFreshPglite, makeFreshPostgres, withStores } from "./support/databases.ts"
import { readLedgerRows } from "./support/ledgerRows.ts"

const [october, november] = [Date.UTC(2026, 9, 31, 23), Date.UTC(2026, 10, 1, 12)]

/** Makes a call as the previous version does: by a key (positive), by a session (negative), or by a task (null). */
const call = Effect.fnUntraced(
  function*(
    account: number,
    key: number | null,
    tool: string,
    credits: number,
    dimensions: "settled" | "released" | "running",
    at: number
  ) {
    const sql = yield* PgClient.PgClient
    const month = new Date(at).toISOString().slice(0, 7).replace("-", "")
    const [admission] = yield* sql.unsafe<{ entries: ReadonlyArray<number> }>(
      `select entries from credit_reserve_2('{${account}}', '{1}', '{${key ?? "null"}}', '{${
        key === null ? 5 : "null"
      }}',
        '{${tool}}', '{${credits}}', '{60000}', null, null, null, null, null, null, ${at})`
    )
    if (dimensions === "running") return
    yield* sql.unsafe(
      `select * from credit_end_2('{${account}}', '{${month}}', '{${admission!.entries[0]!}}', '{1}', '{${
        dimensions === "settled"
      }}',
        '{null}', null, ${at + 1})`
    )
  }
)

/** Returns the account balance as the previous version reads it. */
const toolsBefore = (account: number, month: number) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) =>
      sql.unsafe(
        `select u.tool as name, u.calls::float8 as calls, u.failed::float8 as failed, u.credits::float8 as credits
      from credit_usage u where u.account = ${account} and u.month = ${month} order by u.tool collate "C"`
      )
  )

const makeCalls = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  yield* sql.unsafe("insert into plans (name, monthly_credits) values ('p', 1000)")
  yield* sql.unsafe("insert into accounts (name, plan, created_at) values ('a', 'p', 0), ('b', 'p', 0)")
  yield* call(1, 7, "get_price", 1, "settled", october)
  yield* call(1, 7, "get_price", 2, "settled", november)
  yield* call(1, 8, "get_price", 3, "released", november)
  yield* call(1, -4, "get_book", 5, "settled", november + 86_400_000)
  yield* call(1, null, "agent.answer", 20, "settled", november + 86_400_000)
  yield* call(1, 7, "get_price", 9, "running", november + 86_400_000)
  yield* call(2, 9, "get_price", 1, "settled", november)
  yield* call(2, 9, "get_price", 4, "settled", november)
  // Simulates that the reservation of the second account's four-credit call was deleted before the migration.
  yield* sql.unsafe("delete from credit_reservations where account = 2 and credits = 4")
  yield* sql.unsafe("update credit_usage_days set calls = 1, credits = 1 where account = 2")
  yield* sql.unsafe(`insert into credit_usage_days (account, month, day, caller, tool, calls, failed, credits)
    values (2, 202611, 0, 0, 'get_price', 1, 0, 4)`)
})

const suite = (name: string, client: Layer.Layer<Client, unknown>) =>
  withLayer(withStores(Layer.provideMerge(Layer.effectDiscard(makeCalls), client)), {
    excludeTestServices: true,
    timeout: 120_000
  })(`usage by day: ${name}`, (it) => {
    it.effect("counts ended reservations by tool, day and caller", () =>
      Effect.gen(function*() {
        const [sql, store] = yield* Effect.all([PgClient.PgClient, LedgerStore])
        const usage = yield* store.usage(1, "2026-11")
        const line = (calls: number, failed: number, credits: number) => ({ calls, failed, credits })
        assert.deepStrictEqual(usage?.tools, [
          { name: "agent.answer", ...line(1, 0, 20) },
          { name: "get_book", ...line(1, 0, 5) },
          { name: "get_price", ...line(2, 1, 2) }
        ])
        assert.deepStrictEqual(usage?.days, [
          { day: Date.UTC(2026, 10, 1), ...line(2, 1, 2) },
          { day: Date.UTC(2026, 10, 2), ...line(2, 0, 25) }
        ])
        assert.deepStrictEqual(usage?.callers, [
          { caller: { kind: "key", key: 7, name: null }, ...line(1, 0, 2) },
          { caller: { kind: "key", key: 8, name: null }, ...line(1, 1, 0) },
          { caller: { kind: "session" }, ...line(1, 0, 5) },
          { caller: { kind: "task" }, ...line(1, 0, 20) }
        ])
        assert.strictEqual((yield* store.usage(1, "2026-10"))?.days[0]?.credits, 1)
        assert.deepStrictEqual(findRuleViolations(yield* readLedgerRows(sql, [1])), [])
      }))

    it.effect("counts usage without a known day by tool, but not by day or caller", () =>
      Effect.gen(function*() {
        const usage = yield* (yield* LedgerStore).usage(2, "2026-11")
        assert.deepStrictEqual(usage?.tools, [{ name: "get_price", calls: 2, failed: 0, credits: 5 }])
        assert.deepStrictEqual(usage?.days, [{ day: Date.UTC(2026, 10, 1), calls: 1, failed: 0, credits: 1 }])
        assert.deepStrictEqual(usage?.callers, [
          { caller: { kind: "key", key: 9, name: null }, calls: 1, failed: 0, credits: 1 }
        ])
        assert.strictEqual(usage?.used, 5)
      }))

    it.effect("reports usage without a known day for its whole month, with an unknown caller", () =>
      Effect.gen(function*() {
        const store = yield* LedgerStore
        const day = 86_400_000
        const [from, to] = [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 30)]
        const report = (groupBy: ReadonlyArray<UsageDimension>, range: object = {}) =>
          Effect.map(
            store.usageReport({ from, to, account: 2, groupBy, after: usageStart, limit: 9, ...range }),
            ({ lines }) => lines.map(({ caller, credits, day, month }) => [month, day, caller?.kind, credits])
          )
        assert.deepStrictEqual(yield* report(["day", "key"]), [
          ["2026-11", null, "unknown", 4],
          ["2026-11", from, "key", 1]
        ])
        assert.deepStrictEqual(yield* report([]), [[null, null, undefined, 5]])
        assert.deepStrictEqual(yield* report([], { from: from - day, to: to + day }), [[null, null, undefined, 5]])
        assert.deepStrictEqual(yield* report([], { to: to - day }), [[null, null, undefined, 1]])
        assert.deepStrictEqual(yield* report([], { from: from + day }), [])
      }))

    it.effect("counts calls of processes of the previous version, which read usage by tool", () =>
      Effect.gen(function*() {
        const store = yield* LedgerStore
        yield* call(2, 9, "get_price", 6, "settled", november)
        yield* call(2, -1, "get_book", 1, "running", november)
        yield* store.expire(100, { at: november + 3_600_000 })
        const usage = yield* store.usage(2, "2026-11")
        assert.deepStrictEqual(usage?.tools.map(({ calls, name }) => [name, calls]), [["get_book", 1], [
          "get_price",
          3
        ]])
        assert.deepStrictEqual(yield* toolsBefore(2, 202_611), usage?.tools)
        assert.deepStrictEqual(usage?.days, [{ day: Date.UTC(2026, 10, 1), calls: 3, failed: 1, credits: 7 }])
        assert.deepStrictEqual(usage?.callers.map(({ caller, calls }) => [caller.kind, calls]), [["key", 2], [
          "session",
          1
        ]])
      }))
  })

if (isFullRun) suite("PGlite", makeFreshPglite())

describe("usage by day", () => suite("PostgreSQL", makeFreshPostgres()))
