import { assert } from "@effect/vitest"
import { type AccountCall, type Actor } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  createAccountWithCredits,
  getReservation,
  type LedgerTests,
  makeRelease,
  makeRequest,
  makeSettlement,
  minuteMs,
  month,
  novemberMs,
  reserveOne,
  storeAtNovember
} from "./contractFixtures.ts"

const decemberMs = Date.UTC(2026, 11, 3)

const firstPage = { month: null, before: null, limit: 100 }

export const testCalls = (it: LedgerTests): void => {
  it.effect("lists the calls of an account, largest id first, with their states, callers and refunds", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(100)
      const reserve = (actor: Actor, credits: number, tool = "get_price") =>
        Effect.map(reserveOne(makeRequest(account, { actor, credits, tool })), getReservation)
      const settled = yield* reserve({ _tag: "Key", key: 7 }, 5)
      const released = yield* reserve({ _tag: "Session", session: 8 }, 1)
      const running = yield* reserve({ _tag: "Task", task: 9 }, 20, "agent.answer")
      yield* ledger.end([makeSettlement(settled), makeRelease(released)], novemberMs + 1)
      const refund = yield* ledger.adjust({
        kind: "refund",
        account,
        amount: 2,
        call: settled,
        reason: "test",
        reference: null
      })
      assert(refund._tag === "Adjusted")
      const expected: ReadonlyArray<AccountCall> = [
        {
          call: { month, entry: running.entry },
          actor: { _tag: "Task", task: 9 },
          operation: "agent.answer",
          credits: 20,
          state: "reserved",
          reservedAt: novemberMs,
          endedAt: null,
          refund: null
        },
        {
          call: { month, entry: released.entry },
          actor: { _tag: "Session", session: 8 },
          operation: "get_price",
          credits: 1,
          state: "released",
          reservedAt: novemberMs,
          endedAt: novemberMs + 1,
          refund: null
        },
        {
          call: { month, entry: settled.entry },
          actor: { _tag: "Key", key: 7 },
          operation: "get_price",
          credits: 5,
          state: "settled",
          reservedAt: novemberMs,
          endedAt: novemberMs + 1,
          refund: { adjustment: refund.adjustments[0]!.id, amount: 2 }
        }
      ]
      assert.deepStrictEqual(yield* ledger.calls({ account, ...firstPage }), expected)
      const lapsed = yield* ledger.calls({ account, ...firstPage, limit: 1 }, novemberMs + minuteMs)
      assert.deepStrictEqual(lapsed.map(({ state }) => state), ["expired"])
    }))

  it.effect("pages through the calls of one month, and returns no call of another account", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const [account, other] = [yield* createAccountWithCredits(100), yield* createAccountWithCredits(100)]
      const reserveAt = (at: number) =>
        Effect.map(
          Effect.all([reserveOne(makeRequest(account), at), reserveOne(makeRequest(other), at)]),
          ([admission]) => getReservation(admission).entry
        )
      const [first, second] = [yield* reserveAt(novemberMs), yield* reserveAt(novemberMs + 1)]
      const [third, december] = [yield* reserveAt(novemberMs + 2), yield* reserveAt(decemberMs)]
      const list = (requested: string | null, before: number | null, at = novemberMs) =>
        Effect.map(
          ledger.calls({ account, month: requested, before, limit: 2 }, at),
          (calls) => calls.map(({ call }) => call.entry)
        )
      assert.deepStrictEqual(yield* list(null, null), [third, second])
      assert.deepStrictEqual(yield* list(null, second), [first])
      assert.deepStrictEqual(yield* list(null, first), [])
      assert.deepStrictEqual(yield* list(null, null, decemberMs), [december])
      assert.deepStrictEqual(yield* list(month, null, decemberMs), [third, second])
      assert.deepStrictEqual(yield* list("2999-12", null), [])
      assert.deepStrictEqual(yield* ledger.calls({ account: 999_999_999, ...firstPage }), [])
    }))
}
