import { assert } from "@effect/vitest"
import { LedgerStore } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  createAccountWithCredits,
  getReservation,
  type LedgerTests,
  makeRequest,
  makeSettlement,
  minuteMs,
  reserveOne,
  storeAtNovember
} from "./contractFixtures.ts"

const june = Date.UTC(2032, 5, 20)
const july = Date.UTC(2032, 6, 1)

const use = (account: number, credits: number, at: number) =>
  Effect.gen(function*() {
    const ledger = yield* storeAtNovember
    yield* ledger.end([makeSettlement(getReservation(yield* reserveOne(makeRequest(account, { credits }), at)))], at)
  })

/** Returns the thresholds of an account that are reached and not marked. */
const reached = (account: number, at: number) =>
  Effect.map(
    Effect.flatMap(LedgerStore, (store) => store.reachedThresholds(1_000, { at })),
    (all) => all.filter((one) => one.account === account)
  )

export const testThresholds = (it: LedgerTests): void => {
  it.effect("finds accounts that used 80 % or all of their credits, and marks each threshold once", () =>
    Effect.gen(function*() {
      const store = yield* LedgerStore
      const account = yield* createAccountWithCredits(20)
      yield* use(account, 15, june)
      yield* reserveOne(makeRequest(account, { credits: 5 }), june)
      assert.deepStrictEqual(yield* reached(account, june), [])
      yield* store.expire(1_000, { at: june + 2 * minuteMs })
      yield* use(account, 1, june)
      const eighty = { account, month: "2032-06", threshold: 80, used: 16, monthlyCredits: 20 } as const
      assert.deepStrictEqual(yield* reached(account, june), [eighty])
      const marked = yield* Effect.all([store.markThresholds([eighty]), store.markThresholds([eighty])], {
        concurrency: 2
      })
      assert.deepStrictEqual(marked.flat(), [eighty])
      yield* use(account, 4, june)
      const hundred = { ...eighty, threshold: 100, used: 20 } as const
      assert.deepStrictEqual(yield* reached(account, june), [hundred])
      assert.deepStrictEqual(yield* store.markThresholds([eighty, hundred]), [hundred])
      assert.deepStrictEqual(yield* reached(account, june), [])
    }))

  it.effect("repeats no threshold after the account got more credits, and repeats all in a new month", () =>
    Effect.gen(function*() {
      const [ledger, store] = [yield* storeAtNovember, yield* LedgerStore]
      const account = yield* createAccountWithCredits(21)
      yield* use(account, 21, june)
      yield* store.markThresholds(yield* reached(account, june))
      yield* ledger.definePlans({ "contract-22": 22 })
      yield* ledger.changePlan(account, "contract-22", june)
      yield* use(account, 1, june)
      assert.deepStrictEqual(yield* reached(account, june), [])
      yield* use(account, 22, july)
      assert.deepStrictEqual(
        (yield* reached(account, july)).map(({ month, threshold }) => [month, threshold]),
        [["2032-07", 80], ["2032-07", 100]]
      )
    }))

  it.effect("finds thresholds of a month until one hour after its end, and none of an account without credits", () =>
    Effect.gen(function*() {
      const [account, empty] = [yield* createAccountWithCredits(23), yield* createAccountWithCredits(0)]
      yield* reserveOne(makeRequest(empty), june)
      yield* use(account, 23, june)
      assert.strictEqual((yield* reached(account, july + 59 * minuteMs)).length, 2)
      assert.deepStrictEqual(yield* reached(account, july + 61 * minuteMs), [])
      assert.deepStrictEqual(yield* reached(empty, june), [])
    }))
}
