import { assert } from "@effect/vitest"
import { LedgerStore } from "@tapeline/core/engine"
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
  novemberMs,
  renewsAt,
  reserveOne,
  storeAtNovember
} from "./contractFixtures.ts"

export const testAdmission = (it: LedgerTests): void => {
  it.effect("admits calls within the monthly credits and returns the credits left", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const answers = yield* ledger.reserve([1, 2, 3].map((credits) => makeRequest(account, { credits })))
      assert.deepStrictEqual(answers.map((answer) => answer._tag === "Admitted" ? answer.creditsLeft : answer), [
        9,
        7,
        4
      ])
      const balance = yield* ledger.balance(account, month)
      assert.deepStrictEqual(balance, {
        month,
        monthlyCredits: 10,
        adjusted: 0,
        used: 0,
        reserved: 6,
        left: 4,
        renewsAt,
        tools: []
      })
    }))

  it.effect("processes a batch in order, and admits a cheaper call after a rejected one", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(21)
      const answers = yield* ledger.reserve([5, 20, 16, 1].map((credits) => makeRequest(account, { credits })))
      assert.deepStrictEqual(answers.map(({ _tag }) => _tag), ["Admitted", "Refused", "Admitted", "Refused"])
      assert.deepStrictEqual(answers[1], { _tag: "Refused", creditsLeft: 16, monthlyCredits: 21, renewsAt })
      assert.deepStrictEqual(answers[3], { _tag: "Refused", creditsLeft: 0, monthlyCredits: 21, renewsAt })
    }))

  it.effect("accepts a batch of several accounts, including unknown ones", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const [a, b] = [yield* createAccountWithCredits(5), yield* createAccountWithCredits(6)]
      const answers = yield* ledger.reserve([
        makeRequest(b),
        makeRequest(a, { credits: 5 }),
        makeRequest(999_999_999),
        makeRequest(b, { credits: 5 }),
        makeRequest(a)
      ])
      assert.deepStrictEqual(answers.map(({ _tag }) => _tag), [
        "Admitted",
        "Admitted",
        "NoAccount",
        "Admitted",
        "Refused"
      ])
      assert.strictEqual(yield* ledger.balance(999_999_999, month), null)
      assert.deepStrictEqual(yield* ledger.reserve([]), [])
      assert.deepStrictEqual(yield* ledger.end([]), [])
    }))
}

export const testSingleEnd = (it: LedgerTests): void => {
  it.effect("ends a reservation once, by settlement or release", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const first = getReservation(yield* reserveOne(makeRequest(account, { credits: 4 })))
      const second = getReservation(yield* reserveOne(makeRequest(account, { credits: 3, tool: "get_book" })))
      const endings = yield* ledger.end([
        makeSettlement(first),
        makeRelease(second),
        makeSettlement(second),
        makeRelease(first)
      ])
      assert.deepStrictEqual(endings, [
        { _tag: "Ended", creditsLeft: 3 },
        { _tag: "Ended", creditsLeft: 6 },
        { _tag: "AlreadyEnded", outcome: "released", creditsLeft: 6 },
        { _tag: "AlreadyEnded", outcome: "settled", creditsLeft: 6 }
      ])
      assert.deepStrictEqual(yield* ledger.end([makeSettlement(first)]), [{
        _tag: "AlreadyEnded",
        outcome: "settled",
        creditsLeft: 6
      }])
      assert.deepStrictEqual(yield* ledger.balance(account, month), {
        month,
        monthlyCredits: 10,
        adjusted: 0,
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

  it.effect("does not end an unknown reservation or one of another account", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const [account, other] = [yield* createAccountWithCredits(10), yield* createAccountWithCredits(10)]
      const reservation = getReservation(yield* reserveOne(makeRequest(account)))
      const endings = yield* ledger.end([
        makeSettlement({ ...reservation, entry: 987_654_321 }),
        makeSettlement({ ...reservation, account: other }),
        makeSettlement({ ...reservation, month: "2026-10" })
      ])
      assert.deepStrictEqual(endings.map(({ _tag }) => _tag), ["AlreadyEnded", "AlreadyEnded", "AlreadyEnded"])
      assert.strictEqual((yield* ledger.balance(account, month))?.reserved, 1)
    }))
}

export const testExpiry = (it: LedgerTests): void => {
  it.effect("never charges an expired reservation, and returns its credits in a sweep", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const reservation = getReservation(yield* reserveOne(makeRequest(account, { credits: 4 })))
      const [lateEnd] = yield* ledger.end([makeSettlement(reservation)], novemberMs + minuteMs)
      assert.deepStrictEqual(lateEnd, { _tag: "AlreadyEnded", outcome: "expired", creditsLeft: 6 })
      assert.isAtLeast(yield* expireAll(novemberMs + minuteMs), 1)
      assert.strictEqual(yield* ledger.expire(100, novemberMs + minuteMs), 0)
      assert.deepStrictEqual(yield* ledger.balance(account, month), {
        month,
        monthlyCredits: 10,
        adjusted: 0,
        used: 0,
        reserved: 0,
        left: 10,
        renewsAt,
        tools: [{ name: "get_price", calls: 1, failed: 1, credits: 0 }]
      })
      assert.deepStrictEqual(yield* ledger.end([makeSettlement(reservation)]), [{
        _tag: "AlreadyEnded",
        outcome: "expired",
        creditsLeft: 10
      }])
    }))

  it.effect("sweeps at most the requested number of reservations, longest expired first", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const later = novemberMs + 100 * minuteMs
      yield* expireAll(later)
      const account = yield* createAccountWithCredits(10)
      yield* ledger.reserve([3, 1, 2].map((credits) => makeRequest(account, { credits, ttlMs: credits })), later)
      assert.strictEqual(yield* ledger.expire(2, later + 3), 2)
      assert.strictEqual((yield* ledger.balance(account, month))?.reserved, 3)
      assert.strictEqual(yield* ledger.expire(2, later + 2), 0)
      assert.strictEqual(yield* ledger.expire(2, later + 3), 1)
    }))

  it.effect("renews a running reservation, never to an earlier time, and no ended or expired one", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const reservation = getReservation(yield* reserveOne(makeRequest(account)))
      assert.isTrue(yield* ledger.renew(reservation, 5 * minuteMs))
      assert.isTrue(yield* ledger.renew(reservation, 1))
      const [ending] = yield* ledger.end([makeSettlement(reservation)], novemberMs + 5 * minuteMs - 1)
      assert.strictEqual(ending?._tag, "Ended")
      assert.isFalse(yield* ledger.renew(reservation, 5 * minuteMs))
      const expiredReservation = getReservation(yield* reserveOne(makeRequest(account)))
      assert.isFalse(yield* ledger.renew(expiredReservation, minuteMs, novemberMs + minuteMs))
      assert.isFalse(yield* ledger.renew({ ...expiredReservation, entry: 987_654_321 }, minuteMs))
    }))
}

export const testMonths = (it: LedgerTests): void => {
  it.effect("keeps a reservation in the month in which it was created", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const lastMomentOfMonth = Date.UTC(2026, 10, 30, 23, 59, 59, 999)
      const oldMonth = yield* reserveOne(makeRequest(account, { credits: 7 }), lastMomentOfMonth)
      const newMonth = yield* reserveOne(makeRequest(account, { credits: 8 }), lastMomentOfMonth + 1)
      assert.deepStrictEqual(getReservation(oldMonth).month, "2026-11")
      assert.deepStrictEqual(getReservation(newMonth).month, "2026-12")
      yield* ledger.end(
        [makeSettlement(getReservation(oldMonth)), makeRelease(getReservation(newMonth))],
        lastMomentOfMonth + 10
      )
      assert.strictEqual((yield* ledger.balance(account, "2026-11"))?.used, 7)
      assert.deepStrictEqual(yield* ledger.balance(account, "2026-12"), {
        month: "2026-12",
        monthlyCredits: 10,
        adjusted: 0,
        used: 0,
        reserved: 0,
        left: 10,
        renewsAt: Date.UTC(2027, 0, 1),
        tools: [{ name: "get_price", calls: 1, failed: 1, credits: 0 }]
      })
    }))

  it.effect("changes the monthly credits with the plan, immediately and in the current month", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(100)
      yield* ledger.definePlans({ "contract-3": 3, "contract-200": 200 })
      const reservation = getReservation(yield* reserveOne(makeRequest(account, { credits: 50 })))
      assert.isTrue(yield* ledger.changePlan(account, "contract-3"))
      assert.deepStrictEqual(yield* reserveOne(makeRequest(account)), {
        _tag: "Refused",
        creditsLeft: 0,
        monthlyCredits: 3,
        renewsAt
      })
      assert.deepStrictEqual(yield* ledger.end([makeSettlement(reservation)]), [{ _tag: "Ended", creditsLeft: 0 }])
      const balanceAfterChange = yield* ledger.balance(account, month)
      assert.deepStrictEqual([balanceAfterChange?.monthlyCredits, balanceAfterChange?.used, balanceAfterChange?.left], [
        3,
        50,
        0
      ])
      assert.isTrue(yield* ledger.changePlan(account, "contract-200"))
      assert.strictEqual((yield* ledger.balance(account, month))?.left, 150)
      assert.strictEqual((yield* ledger.balance(account, "2026-12"))?.left, 200)
      assert.isFalse(yield* ledger.changePlan(999_999_999, "contract-3"))
    }))

  it.effect("applies a plan's new monthly credits to open months", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(41)
      getReservation(yield* reserveOne(makeRequest(account, { credits: 40 })))
      yield* ledger.definePlans({ "contract-41": 30 })
      assert.strictEqual((yield* (yield* LedgerStore).plans)["contract-41"], 30)
      const rejectedReservation = yield* reserveOne(makeRequest(account))
      assert.deepStrictEqual(rejectedReservation, { _tag: "Refused", creditsLeft: 0, monthlyCredits: 30, renewsAt })
      yield* ledger.definePlans({ "contract-41": 50 })
      assert.strictEqual((yield* ledger.balance(account, month))?.left, 10)
    }))
}
