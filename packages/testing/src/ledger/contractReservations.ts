import { assert } from "@effect/vitest"
import { LedgerStore } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  accountWith,
  admitted,
  ask,
  type LedgerTests,
  minute,
  month,
  november,
  release,
  renewsAt,
  reserveOne,
  settle,
  storeAtNovember,
  sweepAll
} from "./contractCalls.ts"

export const admitting = (it: LedgerTests): void => {
  it.effect("admits within the allotment and counts down", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(10)
      const answers = yield* ledger.reserve([1, 2, 3].map((credits) => ask(account, { credits })))
      assert.deepStrictEqual(answers.map((answer) => answer._tag === "Admitted" ? answer.creditsLeft : answer), [
        9,
        7,
        4
      ])
      const books = yield* ledger.books(account, month)
      assert.deepStrictEqual(books, { month, allotted: 10, used: 0, reserved: 6, left: 4, renewsAt, tools: [] })
    }))

  it.effect("judges a batch in order, and a refusal leaves room for a cheaper call after it", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(21)
      const answers = yield* ledger.reserve([5, 20, 16, 1].map((credits) => ask(account, { credits })))
      assert.deepStrictEqual(answers.map(({ _tag }) => _tag), ["Admitted", "Refused", "Admitted", "Refused"])
      assert.deepStrictEqual(answers[1], { _tag: "Refused", creditsLeft: 16, allotted: 21, renewsAt })
      assert.deepStrictEqual(answers[3], { _tag: "Refused", creditsLeft: 0, allotted: 21, renewsAt })
    }))

  it.effect("takes a batch of several accounts, unknown ones too", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const [a, b] = [yield* accountWith(5), yield* accountWith(6)]
      const answers = yield* ledger.reserve([
        ask(b),
        ask(a, { credits: 5 }),
        ask(999_999_999),
        ask(b, { credits: 5 }),
        ask(a)
      ])
      assert.deepStrictEqual(answers.map(({ _tag }) => _tag), [
        "Admitted",
        "Admitted",
        "NoAccount",
        "Admitted",
        "Refused"
      ])
      assert.strictEqual(yield* ledger.books(999_999_999, month), null)
      assert.deepStrictEqual(yield* ledger.reserve([]), [])
      assert.deepStrictEqual(yield* ledger.end([]), [])
    }))
}

export const endingOnce = (it: LedgerTests): void => {
  it.effect("ends a reservation once, by settling or releasing", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(10)
      const first = admitted(yield* reserveOne(ask(account, { credits: 4 })))
      const second = admitted(yield* reserveOne(ask(account, { credits: 3, tool: "get_book" })))
      const endings = yield* ledger.end([settle(first), release(second), settle(second), release(first)])
      assert.deepStrictEqual(endings, [
        { _tag: "Ended", creditsLeft: 3 },
        { _tag: "Ended", creditsLeft: 6 },
        { _tag: "AlreadyEnded", how: "released", creditsLeft: 6 },
        { _tag: "AlreadyEnded", how: "settled", creditsLeft: 6 }
      ])
      assert.deepStrictEqual(yield* ledger.end([settle(first)]), [{
        _tag: "AlreadyEnded",
        how: "settled",
        creditsLeft: 6
      }])
      assert.deepStrictEqual(yield* ledger.books(account, month), {
        month,
        allotted: 10,
        used: 4,
        reserved: 0,
        left: 6,
        renewsAt,
        tools: [
          { name: "get_book", calls: 1, failed: 1, credits: 0 },
          { name: "get_price", calls: 1, failed: 0, credits: 4 }
        ]
      })
    }))

  it.effect("refuses to end what was never reserved, and what is another account's", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const [mine, other] = [yield* accountWith(10), yield* accountWith(10)]
      const reservation = admitted(yield* reserveOne(ask(mine)))
      const endings = yield* ledger.end([
        settle({ ...reservation, entry: 987_654_321 }),
        settle({ ...reservation, account: other }),
        settle({ ...reservation, month: "2026-10" })
      ])
      assert.deepStrictEqual(endings.map(({ _tag }) => _tag), ["AlreadyEnded", "AlreadyEnded", "AlreadyEnded"])
      assert.strictEqual((yield* ledger.books(mine, month))?.reserved, 1)
    }))
}

export const lapsing = (it: LedgerTests): void => {
  it.effect("never charges what has lapsed, and gives it back in a sweep", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(10)
      const reservation = admitted(yield* reserveOne(ask(account, { credits: 4 })))
      const [late] = yield* ledger.end([settle(reservation)], november + minute)
      assert.deepStrictEqual(late, { _tag: "AlreadyEnded", how: "expired", creditsLeft: 6 })
      assert.isAtLeast(yield* sweepAll(november + minute), 1)
      assert.strictEqual(yield* ledger.expire(100, november + minute), 0)
      assert.deepStrictEqual(yield* ledger.books(account, month), {
        month,
        allotted: 10,
        used: 0,
        reserved: 0,
        left: 10,
        renewsAt,
        tools: [{ name: "get_price", calls: 1, failed: 1, credits: 0 }]
      })
      assert.deepStrictEqual(yield* ledger.end([settle(reservation)]), [{
        _tag: "AlreadyEnded",
        how: "expired",
        creditsLeft: 10
      }])
    }))

  it.effect("sweeps no more than it is asked to, the longest lapsed first", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const era = november + 100 * minute
      yield* sweepAll(era)
      const account = yield* accountWith(10)
      yield* ledger.reserve([3, 1, 2].map((credits) => ask(account, { credits, ttlMs: credits })), era)
      assert.strictEqual(yield* ledger.expire(2, era + 3), 2)
      assert.strictEqual((yield* ledger.books(account, month))?.reserved, 3)
      assert.strictEqual(yield* ledger.expire(2, era + 2), 0)
      assert.strictEqual(yield* ledger.expire(2, era + 3), 1)
    }))

  it.effect("renews what runs, forward only, and nothing that ended or lapsed", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(10)
      const reservation = admitted(yield* reserveOne(ask(account)))
      assert.isTrue(yield* ledger.renew(reservation, 5 * minute))
      assert.isTrue(yield* ledger.renew(reservation, 1))
      const [ending] = yield* ledger.end([settle(reservation)], november + 5 * minute - 1)
      assert.strictEqual(ending?._tag, "Ended")
      assert.isFalse(yield* ledger.renew(reservation, 5 * minute))
      const lapsed = admitted(yield* reserveOne(ask(account)))
      assert.isFalse(yield* ledger.renew(lapsed, minute, november + minute))
      assert.isFalse(yield* ledger.renew({ ...lapsed, entry: 987_654_321 }, minute))
    }))
}

export const layingMonths = (it: LedgerTests): void => {
  it.effect("keeps a reservation in the month in which it was made", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(10)
      const eve = Date.UTC(2026, 10, 30, 23, 59, 59, 999)
      const old = yield* reserveOne(ask(account, { credits: 7 }), eve)
      const fresh = yield* reserveOne(ask(account, { credits: 8 }), eve + 1)
      assert.deepStrictEqual(admitted(old).month, "2026-11")
      assert.deepStrictEqual(admitted(fresh).month, "2026-12")
      yield* ledger.end([settle(admitted(old)), release(admitted(fresh))], eve + 10)
      assert.strictEqual((yield* ledger.books(account, "2026-11"))?.used, 7)
      assert.deepStrictEqual(yield* ledger.books(account, "2026-12"), {
        month: "2026-12",
        allotted: 10,
        used: 0,
        reserved: 0,
        left: 10,
        renewsAt: Date.UTC(2027, 0, 1),
        tools: [{ name: "get_price", calls: 1, failed: 1, credits: 0 }]
      })
    }))

  it.effect("changes the allotment with the plan, at once and in that month", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(100)
      yield* ledger.definePlans({ "contract-3": 3, "contract-200": 200 })
      const reservation = admitted(yield* reserveOne(ask(account, { credits: 50 })))
      assert.isTrue(yield* ledger.changePlan(account, "contract-3"))
      assert.deepStrictEqual(yield* reserveOne(ask(account)), {
        _tag: "Refused",
        creditsLeft: 0,
        allotted: 3,
        renewsAt
      })
      assert.deepStrictEqual(yield* ledger.end([settle(reservation)]), [{ _tag: "Ended", creditsLeft: 0 }])
      const lowered = yield* ledger.books(account, month)
      assert.deepStrictEqual([lowered?.allotted, lowered?.used, lowered?.left], [3, 50, 0])
      assert.isTrue(yield* ledger.changePlan(account, "contract-200"))
      assert.strictEqual((yield* ledger.books(account, month))?.left, 150)
      assert.strictEqual((yield* ledger.books(account, "2026-12"))?.left, 200)
      assert.isFalse(yield* ledger.changePlan(999_999_999, "contract-3"))
    }))

  it.effect("lays a plan's new allotment over open months", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(41)
      admitted(yield* reserveOne(ask(account, { credits: 40 })))
      yield* ledger.definePlans({ "contract-41": 30 })
      assert.strictEqual((yield* (yield* LedgerStore).plans)["contract-41"], 30)
      const refused = yield* reserveOne(ask(account))
      assert.deepStrictEqual(refused, { _tag: "Refused", creditsLeft: 0, allotted: 30, renewsAt })
      yield* ledger.definePlans({ "contract-41": 50 })
      assert.strictEqual((yield* ledger.books(account, month))?.left, 10)
    }))
}
