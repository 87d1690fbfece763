import { assert } from "@effect/vitest"
import { addCreditsLeft, LedgerStore, maxResponseBytes } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  chargeOne,
  createAccountWithCredits,
  getReservation,
  type LedgerTests,
  makeCharges,
  makeIdempotency,
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

const december = "2026-12"
const response = "{\"tool\":\"get_price\"}"

export const testCharges = (it: LedgerTests): void => {
  it.effect("charges calls without a reservation in order, until the credits are spent", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      yield* reserveOne(makeRequest(account, { credits: 2 }))
      const charges = yield* makeCharges(account, { credits: 5 }, { credits: 5 }, { credits: 3 })
      const [first, , third] = charges.map(({ id }) => ({ month, entry: id }))
      assert.deepStrictEqual(yield* ledger.charge(charges), [
        { _tag: "Charged", call: first!, creditsLeft: 3 },
        { _tag: "Refused", creditsLeft: 3, monthlyCredits: 10, renewsAt },
        { _tag: "Charged", call: third!, creditsLeft: 0 }
      ])
      const balance = yield* ledger.balance(account, null)
      assert.deepInclude(balance, { used: 8, reserved: 2, left: 0 })
      assert.deepStrictEqual(balance?.tools, [{ name: "get_price", calls: 2, failed: 0, credits: 8 }])
      const [unknown] = yield* makeCharges(999_999_999, {})
      assert.deepStrictEqual(yield* chargeOne(unknown!), { _tag: "NoAccount" })
      assert.deepStrictEqual(yield* ledger.charge([]), [])
    }))

  it.effect("opens the month of a charge, and lists the charge like a settled reservation", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const at = Date.UTC(2026, 11, 1)
      const [charge] = yield* makeCharges(account, { actor: { _tag: "Task", task: 2 } })
      const call = { month: december, entry: charge!.id }
      assert.deepStrictEqual(yield* chargeOne(charge!, at), { _tag: "Charged", call, creditsLeft: 9 })
      assert.deepStrictEqual(yield* ledger.calls({ account, month: december, before: null, limit: 10 }, at), [
        {
          call,
          actor: { _tag: "Task", task: 2 },
          operation: "get_price",
          credits: 1,
          state: "settled",
          reservedAt: at,
          endedAt: at,
          refund: null
        }
      ])
      const note = { reason: "test", reference: null }
      const refund = yield* ledger.adjust({ kind: "refund", account, amount: null, call, ...note }, at)
      assert.strictEqual(refund._tag, "Adjusted")
    }))

  it.effect("rejects a charge beyond the monthly credits of the key", () =>
    Effect.gen(function*() {
      const account = yield* createAccountWithCredits(10)
      const key = yield* newKey(account, "limited")
      yield* (yield* LedgerStore).limitKey(key, 3, { at: novemberMs })
      const actor = { _tag: "Key", key } as const
      const [first, second, session] = yield* makeCharges(account, { actor, credits: 2 }, { actor, credits: 2 }, {
        actor: { _tag: "Session", session: 1 }
      })
      assert.deepInclude(yield* chargeOne(first!), { _tag: "Charged", creditsLeft: 1 })
      assert.deepStrictEqual(yield* chargeOne(second!), {
        _tag: "KeyLimitReached",
        creditsLeft: 1,
        monthlyCredits: 3,
        renewsAt
      })
      assert.deepInclude(yield* chargeOne(session!), { _tag: "Charged", creditsLeft: 7 })
      assert.deepInclude((yield* (yield* LedgerStore).keyCredits([key], { at: novemberMs }))[0], { used: 2, left: 1 })
    }))

  it.effect("records failed calls without a charge, and skips unknown accounts", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const calls = [...yield* makeCharges(account, {}, {}), ...yield* makeCharges(999_999_999, {})]
      yield* ledger.recordFailures(calls)
      const balance = yield* ledger.balance(account, null)
      assert.deepInclude(balance, { used: 0, reserved: 0, left: 10 })
      assert.deepStrictEqual(balance?.tools, [{ name: "get_price", calls: 2, failed: 2, credits: 0 }])
      const listed = yield* ledger.calls({ account, month, before: null, limit: 10 })
      assert.deepStrictEqual(listed.map(({ call, state }) => [call.entry, state]), [
        [calls[1]!.id, "released"],
        [calls[0]!.id, "released"]
      ])
    }))
}

export const testChargeIdempotency = (it: LedgerTests): void => {
  it.effect("replays the response of a charged call with the credits left", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const idempotency = makeIdempotency("charge")
      const other = makeIdempotency("charge", { fingerprint: "two" })
      const [first, twin, reused, later] = yield* makeCharges(
        account,
        { idempotency, response },
        { idempotency, response: "{\"tool\":\"other\"}" },
        { idempotency: other, response },
        { idempotency, response }
      )
      const call = { month, entry: first!.id }
      const replayed = { _tag: "Replayed" as const, response: addCreditsLeft(response, 9), call }
      assert.deepStrictEqual(JSON.parse(replayed.response), { credits_left: 9, tool: "get_price" })
      assert.deepStrictEqual(yield* ledger.charge([first!, twin!, reused!]), [
        { _tag: "Charged", call, creditsLeft: 9 },
        replayed,
        { _tag: "Reused" }
      ])
      assert.deepStrictEqual(yield* chargeOne(later!), replayed)
      assert.deepStrictEqual(yield* ledger.readIdempotencyState(account, idempotency), replayed)
      assert.deepStrictEqual(yield* reserveOne(makeRequest(account, { idempotency })), replayed)
      assert.strictEqual((yield* ledger.balance(account, null))?.used, 1)
      const afterRetention = novemberMs + 1_440 * minuteMs
      assert.deepInclude(yield* chargeOne(later!, afterRetention), { _tag: "Charged", creditsLeft: 8 })
    }))

  it.effect("does not charge a call whose idempotency key a running call holds", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const idempotency = makeIdempotency("held")
      yield* reserveOne(makeRequest(account, { idempotency }))
      const [charge, other] = yield* makeCharges(account, { idempotency, response }, {
        idempotency: makeIdempotency("held", { fingerprint: "two" }),
        response
      })
      assert.deepStrictEqual(yield* chargeOne(charge!), { _tag: "InProgress", lapsesInMs: minuteMs })
      assert.deepStrictEqual(yield* chargeOne(other!), { _tag: "Reused" })
      assert.deepInclude(yield* ledger.balance(account, null), { used: 0, reserved: 1 })
    }))

  it.effect("takes the idempotency key of a lapsed reservation, which can then no longer be settled", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const idempotency = makeIdempotency("lapsed")
      const lapsed = getReservation(yield* reserveOne(makeRequest(account, { idempotency })))
      const [charge] = yield* makeCharges(account, { idempotency, response })
      assert.strictEqual((yield* chargeOne(charge!, novemberMs + minuteMs))._tag, "Charged")
      // The clock of the store is set back.
      assert.strictEqual((yield* ledger.end([makeSettlement(lapsed, "late")]))[0]?._tag, "AlreadyEnded")
      assert.deepInclude(yield* ledger.readIdempotencyState(account, idempotency), {
        _tag: "Replayed",
        call: { month, entry: charge!.id }
      })
      assert.strictEqual((yield* ledger.balance(account, null))?.used, 1)
    }))

  it.effect("charges a call whose response is too long to store", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const idempotency = makeIdempotency("long")
      const makeLong = (length: number) => `{"a":"${"x".repeat(length - 8)}"}`
      const overhead = addCreditsLeft("{", 9).length - 1
      const [long, longest] = [makeLong(maxResponseBytes - overhead + 1), makeLong(maxResponseBytes - overhead)]
      const [first, second] = yield* makeCharges(account, { idempotency, response: long }, {
        idempotency: makeIdempotency("longest"),
        response: longest
      })
      yield* ledger.charge([first!, second!])
      assert.deepInclude(yield* ledger.readIdempotencyState(account, idempotency), { response: "" })
      assert.deepInclude(yield* ledger.readIdempotencyState(account, makeIdempotency("longest")), {
        response: addCreditsLeft(longest, 8)
      })
    }))
}

export const testRepeatedCharges = (it: LedgerTests): void => {
  const lastMoment = renewsAt - 1

  it.effect("charges a repeated request once, also in the next month", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const idempotency = makeIdempotency("again")
      const charges = yield* makeCharges(account, {}, { idempotency, response })
      yield* ledger.charge(charges, lastMoment)
      const repeated = charges.map((request) => ({ ...request, isRepeated: true }))
      for (const [at, creditsLeft] of [[lastMoment, 8], [renewsAt, 10], [renewsAt + 100 * minuteMs, 10]] as const) {
        assert.deepStrictEqual(
          yield* ledger.charge(repeated, at),
          charges.map(({ id }, i) => ({
            _tag: "Charged",
            call: { month, entry: id },
            // A stored response keeps its credits left.
            creditsLeft: i === 0 ? creditsLeft : 8
          }))
        )
      }
      assert.strictEqual((yield* ledger.balance(account, month))?.used, 2)
      assert.strictEqual((yield* ledger.balance(account, december))?.used, 0)
    }))

  it.effect("charges a repeated request once if the clock was set back to the previous month", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const charges = yield* makeCharges(account, {}, { idempotency: makeIdempotency("back"), response })
      yield* ledger.charge(charges, renewsAt)
      const repeated = charges.map((request) => ({ ...request, isRepeated: true }))
      assert.deepStrictEqual(
        yield* ledger.charge(repeated, lastMoment),
        charges.map(({ id }, i) => ({
          _tag: "Charged",
          call: { month: december, entry: id },
          creditsLeft: i === 0 ? 10 : 8
        }))
      )
      assert.strictEqual((yield* ledger.balance(account, month))?.used, 0)
      assert.strictEqual((yield* ledger.balance(account, december))?.used, 2)
    }))

  it.effect("charges a repeated request whose earlier request was not stored", () =>
    Effect.gen(function*() {
      const account = yield* createAccountWithCredits(10)
      const [charge] = yield* makeCharges(account, { isRepeated: true })
      const result = { _tag: "Charged" as const, call: { month, entry: charge!.id }, creditsLeft: 9 }
      assert.deepStrictEqual(yield* chargeOne(charge!), result)
    }))

  it.effect("does not charge a request that arrives after its repetition, in the same month or the next", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const [same, next] = yield* makeCharges(account, {}, {})
      yield* ledger.charge([{ ...same!, isRepeated: true }, { ...next!, isRepeated: true }], lastMoment)
      // A store may fail, because no caller waits for the response.
      yield* Effect.exit(ledger.charge([same!], lastMoment))
      yield* Effect.exit(ledger.charge([next!], renewsAt))
      assert.strictEqual((yield* ledger.balance(account, month))?.used, 2)
      assert.strictEqual((yield* ledger.balance(account, december))?.used ?? 0, 0)
    }))

  it.effect("charges concurrent repetitions at the end of a month once", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const [charge] = yield* makeCharges(account, { isRepeated: true })
      yield* Effect.forEach([0, 1, 0, 1, 0, 1, 0, 1], (ms) => chargeOne(charge!, lastMoment + ms), {
        concurrency: "unbounded",
        discard: true
      })
      const used = yield* Effect.forEach([month, december], (one) => ledger.balance(account, one))
      assert.strictEqual(used.reduce((sum, balance) => sum + (balance?.used ?? 0), 0), 1)
    }))
}
