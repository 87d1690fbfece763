import { assert } from "@effect/vitest"
import type { MonthUsage, UsageTotals } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  createAccountWithCredits,
  expireAll,
  getReservation,
  type LedgerTests,
  makeRelease,
  makeRequest,
  makeSettlement,
  minuteMs,
  month,
  newKey,
  novemberMs,
  renewsAt,
  reserveOne,
  storeAtNovember
} from "./contractFixtures.ts"

const day = 1_440 * minuteMs

const sumLines = (lines: ReadonlyArray<UsageTotals>) =>
  (["calls", "failed", "credits"] as const).map((field) => lines.reduce((sum, line) => sum + line[field], 0))

const sumBreakdowns = ({ callers, days, tools }: MonthUsage) => [tools, days, callers].map(sumLines)

export const testUsage = (it: LedgerTests): void => {
  it.effect("returns usage by day, caller and tool, without running calls", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(100)
      const otherAccount = yield* createAccountWithCredits(100)
      const [laptop, server] = [yield* newKey(account, "laptop"), yield* newKey(account, "server")]
      const foreignKey = yield* newKey(otherAccount, "foreign")
      const byKey = (key: number) => ({ actor: { _tag: "Key", key } } as const)
      const bySession = (bySession: number) => ({ actor: { _tag: "Session", session: bySession } } as const)
      const byTask = (byTask: number) => ({ actor: { _tag: "Task", task: byTask } } as const)
      const todayReservations = (yield* ledger.reserve([
        makeRequest(account, { ...byKey(server), credits: 5 }),
        makeRequest(account, { ...byKey(laptop), tool: "get_book" }),
        makeRequest(account, { ...byKey(foreignKey) }),
        // The ids of the two sessions are also ids of API keys.
        makeRequest(account, { ...bySession(laptop), credits: 2 }),
        makeRequest(account, { ...bySession(server), credits: 2 }),
        makeRequest(account, { ...byTask(laptop), tool: "agent.answer", credits: 20 }),
        makeRequest(account, { ...byTask(server), tool: "agent.answer", credits: 20 }),
        makeRequest(otherAccount, { ...byKey(foreignKey), credits: 7 })
      ])).map(getReservation)
      yield* ledger.end([
        ...todayReservations.slice(0, 6).map((one) => makeSettlement(one)),
        makeRelease(todayReservations[6]!),
        makeSettlement(todayReservations[7]!)
      ])
      // The reservation begins in the last moment of a day and is settled on the following day.
      const endOfDay = novemberMs + day - 1
      const lateReservation = getReservation(
        yield* reserveOne(makeRequest(account, { ...byKey(laptop), credits: 3 }), endOfDay)
      )
      yield* ledger.end([makeSettlement(lateReservation)], endOfDay + 1)
      const expiredReservation = getReservation(
        yield* reserveOne(makeRequest(account, { ...bySession(9) }), endOfDay + 2)
      )
      yield* expireAll(expiredReservation.expiresAt)
      yield* reserveOne(makeRequest(account, { ...byKey(server), credits: 4 }), endOfDay + 3 * minuteMs)
      const makeSums = (calls: number, failed: number, credits: number) => ({ calls, failed, credits })
      assert.deepStrictEqual(yield* ledger.usage(account, month), {
        month,
        monthlyCredits: 100,
        adjusted: 0,
        used: 34,
        reserved: 4,
        left: 62,
        renewsAt,
        tools: [
          { name: "agent.answer", ...makeSums(2, 1, 20) },
          { name: "get_book", ...makeSums(1, 0, 1) },
          { name: "get_price", ...makeSums(6, 1, 13) }
        ],
        days: [{ day: novemberMs, ...makeSums(8, 1, 34) }, { day: novemberMs + day, ...makeSums(1, 1, 0) }],
        callers: [
          { caller: { kind: "key", key: laptop, name: "laptop" }, ...makeSums(2, 0, 4) },
          { caller: { kind: "key", key: server, name: "server" }, ...makeSums(1, 0, 5) },
          { caller: { kind: "key", key: foreignKey, name: null }, ...makeSums(1, 0, 1) },
          { caller: { kind: "session" }, ...makeSums(3, 1, 4) },
          { caller: { kind: "task" }, ...makeSums(2, 1, 20) }
        ]
      })
      assert.deepStrictEqual((yield* ledger.usage(otherAccount, null))?.days, [{
        day: novemberMs,
        ...makeSums(1, 0, 7)
      }])
    }))
}

export const testUsageConsistency = (it: LedgerTests): void => {
  it.effect("returns a month without calls, and null for an unknown account", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const noUsage = { adjusted: 0, used: 0, reserved: 0, tools: [], days: [], callers: [] }
      assert.deepStrictEqual(yield* ledger.usage(account, null), {
        month,
        monthlyCredits: 10,
        left: 10,
        renewsAt,
        ...noUsage
      })
      assert.strictEqual((yield* ledger.usage(account, "2031-05"))?.month, "2031-05")
      assert.strictEqual(yield* ledger.usage(999_999_999, month), null)
    }))

  it.effect("returns usage after its reservations were deleted", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const closedMonth = Date.UTC(2021, 2, 31, 12)
      yield* ledger.end([
        makeSettlement(getReservation(yield* reserveOne(makeRequest(account, { credits: 2 }), closedMonth)))
      ], closedMonth)
      const before = yield* ledger.usage(account, "2021-03")
      assert.strictEqual(before?.days[0]?.day, Date.UTC(2021, 2, 31))
      yield* ledger.runHousekeeping(2)
      assert.deepStrictEqual(yield* ledger.usage(account, "2021-03"), before)
    }))

  it.effect("returns usage of one instant while calls end concurrently", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(100)
      const reserved = (yield* ledger.reserve(
        Array.from({ length: 40 }, (_, i) =>
          makeRequest(account, { tool: `tool_${i % 3}`, actor: { _tag: "Key", key: 1 + i % 4 } }))
      )).map(getReservation)
      const usages = yield* Effect.forEach(
        reserved,
        (one) =>
          Effect.andThen(ledger.end([makeSettlement(one)]), ledger.usage(account, month)),
        { concurrency: 8 }
      )
      for (const usage of usages) {
        assert(usage !== null)
        assert.strictEqual(usage.used + usage.reserved, 40)
        assert.deepStrictEqual(sumBreakdowns(usage), Array.from({ length: 3 }, () => [usage.used, 0, usage.used]))
      }
    }))
}
