import { assert } from "@effect/vitest"
import { type Actor, KeyStore, LedgerStore, type ReserveRequest } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  assertNotBusy,
  createAccountWithCredits,
  expireAll,
  getReservation,
  type LedgerTests,
  makeIdempotency,
  makeRelease,
  makeRequest,
  makeSettlement,
  minuteMs,
  newKey,
  novemberMs,
  renewsAt,
  reserveOne,
  storeAtNovember
} from "./contractFixtures.ts"

const decemberMs = Date.UTC(2026, 11, 2)

const actorOf = (key: number): Actor => ({ _tag: "Key", key })

const limit = (key: number, credits: number | null, at = novemberMs) =>
  Effect.flatMap(LedgerStore, (store) => store.limitKey(key, credits, { at }))

const creditsOf = (key: number, at = novemberMs) =>
  Effect.flatMap(LedgerStore, (store) => Effect.map(store.keyCredits([key], { at }), ([credits]) => credits))

const newLimitedKey = Effect.fnUntraced(function*(credits: number, credit: number) {
  const account = yield* createAccountWithCredits(credits)
  const key = yield* newKey(account, "limited")
  assert.isTrue(yield* limit(key, credit))
  const request = (overrides: Partial<ReserveRequest> = {}) =>
    makeRequest(account, { actor: actorOf(key), ...overrides })
  return { account, key, request }
})

const rotate = Effect.fnUntraced(function*(key: number, overlapMs = minuteMs) {
  const hash = crypto.randomUUID().replaceAll("-", "").repeat(2)
  const rotation = { prefix: "tl", hash, overlapMs, expiresAt: undefined, now: novemberMs }
  return (yield* (yield* KeyStore).rotateKey(key, rotation)).successor.id
})

export const testKeyLimits = (it: LedgerTests): void => {
  it.effect("rejects the requests of a key that used its monthly credits, and no other requests", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const { account, key, request } = yield* newLimitedKey(100, 5)
      const first = yield* reserveOne(request({ credits: 3 }))
      assert.deepInclude(first, { _tag: "Admitted", creditsLeft: 2 })
      const refused = { _tag: "KeyLimitReached", creditsLeft: 2, monthlyCredits: 5, renewsAt } as const
      assert.deepStrictEqual(yield* reserveOne(request({ credits: 3 })), refused)
      const [ended] = yield* ledger.end([makeSettlement(getReservation(first))])
      assert.deepStrictEqual(ended, { _tag: "Ended", creditsLeft: 2 })
      assert.deepStrictEqual(yield* creditsOf(key), { monthlyCredits: 5, used: 3, reserved: 0, left: 2 })
      for (const actor of [{ _tag: "Session", session: key }, { _tag: "Task", task: key }, actorOf(key + 1)] as const) {
        assert.strictEqual((yield* reserveOne(makeRequest(account, { actor, credits: 5 })))._tag, "Admitted")
      }
      assert.deepInclude(yield* reserveOne(request({ credits: 2 })), { _tag: "Admitted", creditsLeft: 0 })
    }))

  it.effect("returns the smaller of the account's and the key's credits", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const { account, request } = yield* newLimitedKey(10, 8)
      const first = yield* reserveOne(request({ credits: 2 }))
      assert.deepInclude(first, { creditsLeft: 6 })
      const other = yield* reserveOne(makeRequest(account, { credits: 5 }))
      assert.deepInclude(other, { creditsLeft: 3 })
      assert.deepInclude(yield* reserveOne(request({ credits: 1 })), { creditsLeft: 2 })
      const requests = [makeRelease(getReservation(first)), makeRelease(getReservation(other))]
      const endings = yield* ledger.end(requests)
      assert.deepStrictEqual(endings, [{ _tag: "Ended", creditsLeft: 4 }, { _tag: "Ended", creditsLeft: 9 }])
      const again = yield* ledger.end(requests)
      const released = { _tag: "AlreadyEnded", outcome: "released" } as const
      assert.deepStrictEqual(again, [{ ...released, creditsLeft: 7 }, { ...released, creditsLeft: 9 }])
      // If the credits of the account and of the key are exhausted, the reported reason is the account, because another
      // key does not help.
      yield* reserveOne(makeRequest(account, { credits: 9 }))
      assert.deepInclude(yield* reserveOne(request({ credits: 8 })), { _tag: "Refused", creditsLeft: 0 })
    }))

  it.effect("decides the requests of a batch in order", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const { request } = yield* newLimitedKey(100, 5)
      const answers = yield* ledger.reserve([3, 3, 2, 1].map((credits) => request({ credits })))
      assert.deepStrictEqual(
        answers.map((answer) => [answer._tag, "creditsLeft" in answer ? answer.creditsLeft : null]),
        [["Admitted", 2], ["KeyLimitReached", 2], ["Admitted", 0], ["KeyLimitReached", 0]]
      )
    }))

  it.effect("admits at most the credits of the key under concurrency", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const { key, request } = yield* newLimitedKey(100, 7)
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => Effect.map(ledger.reserve([request()]), ([answer]) => assertNotBusy(answer!)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ _tag }) => _tag === "Admitted").length, 7)
      assert.strictEqual(answers.filter(({ _tag }) => _tag === "KeyLimitReached").length, 13)
      assert.deepStrictEqual(yield* creditsOf(key), { monthlyCredits: 7, used: 0, reserved: 7, left: 0 })
    }))
}

export const testKeyCredits = (it: LedgerTests): void => {
  it.effect("returns the credits of released and of expired reservations to the key", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const { key, request } = yield* newLimitedKey(100, 5)
      const released = getReservation(yield* reserveOne(request({ credits: 2 })))
      getReservation(yield* reserveOne(request({ credits: 3, ttlMs: 10 })))
      yield* ledger.end([makeRelease(released)])
      assert.deepStrictEqual(yield* creditsOf(key), { monthlyCredits: 5, used: 0, reserved: 3, left: 2 })
      yield* expireAll(novemberMs + 10)
      assert.deepStrictEqual(yield* creditsOf(key), { monthlyCredits: 5, used: 0, reserved: 0, left: 5 })
    }))

  it.effect("does not reject a replayed call, and charges it nothing", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const { key, request } = yield* newLimitedKey(100, 5)
      const idempotency = makeIdempotency("replayed")
      const reservation = getReservation(yield* reserveOne(request({ credits: 5, idempotency })))
      yield* ledger.end([makeSettlement(reservation, "yes")])
      assert.deepInclude(yield* reserveOne(request({ credits: 5, idempotency })), { _tag: "Replayed", response: "yes" })
      assert.deepStrictEqual(yield* creditsOf(key), { monthlyCredits: 5, used: 5, reserved: 0, left: 0 })
    }))

  it.effect("gives the key its credits again in the next month, and ends reservations in their own month", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const { key, request } = yield* newLimitedKey(100, 5)
      const before = getReservation(yield* reserveOne(request({ credits: 4, ttlMs: 30 * 1_440 * minuteMs })))
      assert.deepInclude(yield* reserveOne(request({ credits: 3 }), decemberMs), { _tag: "Admitted", creditsLeft: 2 })
      const [ended] = yield* ledger.end([makeSettlement(before)], decemberMs)
      assert.deepStrictEqual(ended, { _tag: "Ended", creditsLeft: 1 })
      assert.deepStrictEqual(yield* creditsOf(key), { monthlyCredits: 5, used: 4, reserved: 0, left: 1 })
      assert.deepStrictEqual(yield* creditsOf(key, decemberMs), { monthlyCredits: 5, used: 0, reserved: 3, left: 2 })
    }))
}

export const testKeyLimitChanges = (it: LedgerTests): void => {
  it.effect("counts what the key used in the month before its limit was set", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(100)
      const [key, other] = [yield* newKey(account, "limited"), yield* newKey(account, "other")]
      const request = (credits: number, actor = actorOf(key)) => makeRequest(account, { actor, credits })
      const settled = getReservation(yield* reserveOne(request(3)))
      const running = getReservation(yield* reserveOne(request(4)))
      yield* reserveOne(request(20, actorOf(other)))
      yield* ledger.end([makeSettlement(settled)])
      assert.isNull(yield* creditsOf(key))
      yield* limit(key, 8)
      assert.deepStrictEqual(yield* creditsOf(key), { monthlyCredits: 8, used: 3, reserved: 4, left: 1 })
      assert.deepInclude(yield* reserveOne(request(2)), { _tag: "KeyLimitReached", creditsLeft: 1 })
      yield* ledger.end([makeRelease(running)])
      assert.deepInclude(yield* reserveOne(request(2)), { _tag: "Admitted", creditsLeft: 3 })
    }))

  it.effect("keeps running reservations when the limit is lowered below them, and lifts a removed limit", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const { key, request } = yield* newLimitedKey(100, 10)
      const running = getReservation(yield* reserveOne(request({ credits: 9 })))
      yield* limit(key, 2)
      assert.deepStrictEqual(yield* creditsOf(key), { monthlyCredits: 2, used: 0, reserved: 9, left: 0 })
      assert.deepInclude(yield* reserveOne(request()), { _tag: "KeyLimitReached", creditsLeft: 0 })
      const [ended] = yield* ledger.end([makeSettlement(running)])
      assert.deepStrictEqual(ended, { _tag: "Ended", creditsLeft: 0 })
      yield* limit(key, 12)
      assert.deepInclude(yield* reserveOne(request()), { _tag: "Admitted", creditsLeft: 2 })
      yield* limit(key, null)
      assert.isNull(yield* creditsOf(key))
      assert.deepInclude(yield* reserveOne(request({ credits: 50 })), { _tag: "Admitted", creditsLeft: 40 })
      yield* limit(key, 60)
      assert.deepStrictEqual(yield* creditsOf(key), { monthlyCredits: 60, used: 9, reserved: 51, left: 0 })
    }))

  it.effect("limits a key without any call in the month, and accepts a limit of 0", () =>
    Effect.gen(function*() {
      const { key, request } = yield* newLimitedKey(100, 0)
      assert.deepStrictEqual(yield* creditsOf(key), { monthlyCredits: 0, used: 0, reserved: 0, left: 0 })
      assert.deepInclude(yield* reserveOne(request()), { _tag: "KeyLimitReached", creditsLeft: 0, monthlyCredits: 0 })
      assert.isFalse(yield* limit(999_999_999, 5))
      const store = yield* LedgerStore
      assert.deepStrictEqual(yield* store.keyCredits([]), [])
      const keys = yield* KeyStore
      assert.strictEqual((yield* keys.key(key)).monthlyCredits, 0)
    }))

  it.effect("shares the credits of a key with its successors", () =>
    Effect.gen(function*() {
      const { account, key, request } = yield* newLimitedKey(100, 10)
      yield* reserveOne(request({ credits: 4 }))
      const successor = yield* rotate(key)
      const later = makeRequest(account, { actor: actorOf(successor), credits: 5 })
      assert.deepInclude(yield* reserveOne(later), { _tag: "Admitted", creditsLeft: 1 })
      assert.deepInclude(yield* reserveOne(later), { _tag: "KeyLimitReached", creditsLeft: 1, monthlyCredits: 10 })
      assert.deepInclude(yield* reserveOne(request()), { _tag: "Admitted", creditsLeft: 0 })
      yield* limit(successor, 12)
      for (const id of [key, successor]) {
        assert.deepStrictEqual(yield* creditsOf(id), { monthlyCredits: 12, used: 0, reserved: 10, left: 2 })
      }
    }))
}
