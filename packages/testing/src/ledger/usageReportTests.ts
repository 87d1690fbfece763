import { assert } from "@effect/vitest"
import { LedgerStore, type UsageDimension, type UsageLine, type UsagePosition, usageStart } from "@tapeline/core/engine"
import { Effect } from "effect"
import { readReport } from "./commands.ts"
import {
  createAccountWithCredits,
  getReservation,
  type LedgerTests,
  makeRequest,
  makeSettlement,
  minuteMs,
  newKey,
  novemberMs,
  reserveOne,
  storeAtNovember
} from "./contractFixtures.ts"

const day = 1_440 * minuteMs

const may = Date.UTC(2031, 4, 1)

const summarise = ({ account, caller, calls, credits, day, failed, month, operation }: UsageLine) => [
  account?.id ?? null,
  month,
  day,
  caller === null ? null : caller.kind === "key" ? caller.name : caller.kind,
  operation,
  `${calls}/${failed}/${credits}`
]

export const testUsageReport = (it: LedgerTests): void => {
  it.effect("reports usage of all accounts by any dimensions, and filters it by days, account, key and operation", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const store = yield* LedgerStore
      const [first, second] = [yield* createAccountWithCredits(100), yield* createAccountWithCredits(100)]
      const [laptop, foreign] = [yield* newKey(first, "laptop"), yield* newKey(second, "foreign")]
      const call = (account: number, at: number, key: number | null, overrides: object = {}) =>
        Effect.gen(function*() {
          const actor = key === null ? { _tag: "Session", session: 1 } as const : { _tag: "Key", key } as const
          const reservation = getReservation(yield* reserveOne(makeRequest(account, { actor, ...overrides }), at))
          yield* ledger.end([makeSettlement(reservation)], at)
        })
      yield* call(first, may, laptop)
      yield* call(first, may + day, laptop, { tool: "get_book", credits: 5 })
      yield* call(first, may + 31 * day - 1, null, { credits: 3 })
      yield* call(first, may + 31 * day, laptop, { credits: 9 })
      yield* call(second, may + day, foreign, { credits: 20, tool: "agent.answer" })
      const query = { from: may, to: may + 30 * day, groupBy: [], after: usageStart, limit: 1 }
      const report = (groupBy: ReadonlyArray<UsageDimension>, filter: object = {}) =>
        Effect.map(readReport(store, { ...query, groupBy, ...filter }), (lines) => lines.map(summarise))
      const month = "2031-05"
      assert.deepStrictEqual(yield* report([]), [[null, null, null, null, null, "4/0/29"]])
      assert.deepStrictEqual(yield* report(["account"]), [
        [first, null, null, null, null, "3/0/9"],
        [second, null, null, null, null, "1/0/20"]
      ])
      assert.deepStrictEqual(yield* report(["account", "month"], { to: may + 31 * day, account: first }), [
        [first, month, null, null, null, "3/0/9"],
        [first, "2031-06", null, null, null, "1/0/9"]
      ])
      assert.deepStrictEqual(yield* report(["key"]), [
        [first, null, null, "session", null, "1/0/3"],
        [first, null, null, "laptop", null, "2/0/6"],
        [second, null, null, "foreign", null, "1/0/20"]
      ])
      assert.deepStrictEqual(yield* report(["day", "operation"]), [
        [null, month, may, null, "get_price", "1/0/1"],
        [null, month, may + day, null, "agent.answer", "1/0/20"],
        [null, month, may + day, null, "get_book", "1/0/5"],
        [null, month, may + 30 * day, null, "get_price", "1/0/3"]
      ])
      assert.deepStrictEqual(yield* report(["operation"], { key: laptop }), [
        [null, null, null, null, "get_book", "1/0/5"],
        [null, null, null, null, "get_price", "1/0/1"]
      ])
      assert.deepStrictEqual(yield* report([], { operation: "get_price", from: may + day }), [
        [null, null, null, null, null, "1/0/3"]
      ])
      assert.deepStrictEqual(yield* report(["account"], { account: 999_999_999 }), [])
    }))
}

export const testUsageReportPages = (it: LedgerTests): void => {
  it.effect("repeats and misses no group while calls end between the pages", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(1_000)
      const settle = (tool: string) =>
        Effect.gen(function*() {
          const reservation = getReservation(yield* reserveOne(makeRequest(account, { tool })))
          yield* ledger.end([makeSettlement(reservation)])
        })
      for (let i = 1; i < 20; i += 2) yield* settle(`tool_${String(i).padStart(2, "0")}`)
      const seen: Array<string> = []
      let after: UsagePosition = usageStart
      for (let i = 19; i >= 0; i--) {
        const { lines } = yield* ledger.usageReport({
          from: novemberMs,
          to: novemberMs,
          account,
          groupBy: ["operation"],
          after,
          limit: 1
        })
        for (const { operation, position } of lines) {
          seen.push(operation!)
          after = position
        }
        // Between two pages, new groups appear before and after the position of the reader, and earlier groups change.
        yield* settle(`tool_${String(i).padStart(2, "0")}`)
      }
      assert.deepStrictEqual(seen, [...new Set(seen)].sort())
      for (let i = 1; i < 20; i += 2) assert.include(seen, `tool_${String(i).padStart(2, "0")}`)
    }))

  it.effect("is final once the days are over and their calls have ended", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const query = { from: novemberMs, to: novemberMs, account, groupBy: [], after: usageStart, limit: 1 }
      const isFinal = (at: number) => Effect.map(ledger.usageReport(query, at), (report) => report.isFinal)
      const reservation = getReservation(
        yield* reserveOne(makeRequest(account, { ttlMs: 2 * day }), novemberMs + day - 1)
      )
      assert.isFalse(yield* isFinal(novemberMs + day + 5 * minuteMs))
      yield* ledger.end([makeSettlement(reservation)], novemberMs + day + 5 * minuteMs)
      assert.isTrue(yield* isFinal(novemberMs + day + 5 * minuteMs))
      assert.isFalse(yield* isFinal(novemberMs + day - 1))
    }))
}
