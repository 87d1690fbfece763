import { assert } from "@effect/vitest"
import { maxResponseBytes, type ReserveRequest } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  createAccountWithCredits,
  expireAll,
  getReservation,
  type LedgerTests,
  makeIdempotency,
  makeRelease,
  makeRequest,
  makeSettlement,
  minuteMs,
  month,
  novemberMs,
  reserveOne,
  storeAtNovember
} from "./contractFixtures.ts"

export const testReplay = (it: LedgerTests): void => {
  it.effect("replays a settled response, and reports InProgress until then", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const idempotency = makeIdempotency("repeat")
      assert.strictEqual(yield* ledger.readIdempotencyState(account, idempotency), null)
      const reservation = getReservation(yield* reserveOne(makeRequest(account, { idempotency })))
      const inProgress = { _tag: "InProgress" as const, lapsesInMs: minuteMs }
      assert.deepStrictEqual(yield* reserveOne(makeRequest(account, { idempotency })), inProgress)
      assert.deepStrictEqual(yield* ledger.readIdempotencyState(account, idempotency), inProgress)
      yield* ledger.end([makeSettlement(reservation, "the answer")])
      const replayed = { _tag: "Replayed" as const, response: "the answer", call: { month, entry: reservation.entry } }
      assert.deepStrictEqual(yield* reserveOne(makeRequest(account, { idempotency })), replayed)
      assert.deepStrictEqual(yield* ledger.readIdempotencyState(account, idempotency), replayed)
      const other = makeIdempotency("repeat", { fingerprint: "two" })
      assert.deepStrictEqual(yield* reserveOne(makeRequest(account, { idempotency: other })), { _tag: "Reused" })
      assert.deepStrictEqual(yield* ledger.readIdempotencyState(account, other), { _tag: "Reused" })
      assert.strictEqual((yield* ledger.balance(account, month))?.used, 1)
      const otherAccount = yield* createAccountWithCredits(10)
      assert.strictEqual((yield* reserveOne(makeRequest(otherAccount, { idempotency })))._tag, "Admitted")
    }))

  it.effect("charges a call whose response is too long to store, and replays an empty response", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const [retainedKey, lostKey] = [makeIdempotency("kept"), makeIdempotency("lost")]
      const reservations = (yield* ledger.reserve([
        makeRequest(account, { idempotency: retainedKey }),
        makeRequest(account, { idempotency: lostKey })
      ]))
        .map(getReservation)
      const longestAnswer = "\u00e9".repeat(maxResponseBytes / 2)
      const endings = yield* ledger.end([
        makeSettlement(reservations[0]!, longestAnswer),
        makeSettlement(reservations[1]!, `${longestAnswer}.`)
      ])
      assert.deepStrictEqual(endings.map(({ _tag }) => _tag), ["Ended", "Ended"])
      const [retainedCall, lostCall] = reservations.map(({ entry }) => ({ month, entry }))
      assert.deepStrictEqual(yield* ledger.readIdempotencyState(account, retainedKey), {
        _tag: "Replayed",
        response: longestAnswer,
        call: retainedCall!
      })
      assert.deepStrictEqual(yield* ledger.readIdempotencyState(account, lostKey), {
        _tag: "Replayed",
        response: "",
        call: lostCall!
      })
      assert.strictEqual((yield* ledger.balance(account, month))?.used, 2)
    }))
}

export const testKeyRelease = (it: LedgerTests): void => {
  it.effect("frees an idempotency key on release, on expiry and after its retention", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const idempotency = makeIdempotency("again", { retentionMs: 10 * minuteMs })
      const released = getReservation(yield* reserveOne(makeRequest(account, { idempotency })))
      yield* ledger.end([makeRelease(released)])
      assert.strictEqual(yield* ledger.readIdempotencyState(account, idempotency), null)

      const expiredReservation = getReservation(yield* reserveOne(makeRequest(account, { idempotency })))
      const afterExpiry = novemberMs + minuteMs
      assert.strictEqual(yield* ledger.readIdempotencyState(account, idempotency, afterExpiry), null)
      const reservation = getReservation(yield* reserveOne(makeRequest(account, { idempotency }), afterExpiry))
      // If the clock is set back, a reservation whose idempotency key has moved must not be charged.
      assert.strictEqual((yield* ledger.end([makeSettlement(expiredReservation, "late")]))[0]?._tag, "AlreadyEnded")

      yield* ledger.end([makeSettlement(reservation, "kept")], afterExpiry)
      const afterRetention = afterExpiry + 10 * minuteMs
      assert.strictEqual(
        (yield* reserveOne(makeRequest(account, { idempotency }), afterRetention - 1))._tag,
        "Replayed"
      )
      assert.strictEqual(yield* ledger.readIdempotencyState(account, idempotency, afterRetention), null)
      getReservation(yield* reserveOne(makeRequest(account, { idempotency }), afterRetention))
      assert.strictEqual((yield* ledger.balance(account, month))?.used, 1)
    }))

  it.effect("detects equal idempotency keys within one batch", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const idempotency = makeIdempotency("twins")
      const answers = yield* ledger.reserve([
        makeRequest(account, { idempotency, credits: 11 }),
        makeRequest(account, { idempotency }),
        makeRequest(account, { idempotency }),
        makeRequest(account, { idempotency: makeIdempotency("twins", { fingerprint: "two" }) }),
        makeRequest(account, { idempotency: makeIdempotency("another") })
      ])
      assert.deepStrictEqual(answers.map(({ _tag }) => _tag), [
        "Refused",
        "Admitted",
        "InProgress",
        "Reused",
        "Admitted"
      ])
    }))

  it.effect("counts a day's running and settled answers, but not released ones", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(100)
      const answer = (at: number) =>
        reserveOne(makeRequest(account, { tool: "agent.answer", ttlMs: 10 * minuteMs }), at)
      const today = ledger.answersToday(account, novemberMs + minuteMs)
      const count = Effect.map(today, (answers) => answers.count)
      assert.strictEqual((yield* today).renewsAt, novemberMs + 1_440 * minuteMs)
      yield* answer(novemberMs - minuteMs)
      yield* reserveOne(makeRequest(account))
      assert.strictEqual(yield* count, 0)
      const settledAnswer = getReservation(yield* answer(novemberMs + minuteMs))
      const releasedAnswer = getReservation(yield* answer(novemberMs + 2 * minuteMs))
      assert.strictEqual(yield* count, 2)
      yield* ledger.end([makeSettlement(settledAnswer), makeRelease(releasedAnswer)])
      assert.strictEqual(yield* count, 1)
    }))
}

export const testQuotas = (it: LedgerTests): void => {
  it.effect("enforces a daily quota within a batch and across concurrent callers", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(100)
      const answer = (change: Partial<ReserveRequest> = {}) =>
        makeRequest(account, { tool: "agent.answer", ttlMs: 10 * minuteMs, quota: { max: 3 }, ...change })
      const batch = yield* ledger.reserve([answer(), answer({ idempotency: makeIdempotency("quota") })])
      assert.deepStrictEqual(batch.map(({ _tag }) => _tag), ["Admitted", "Admitted"])
      const raceResults = yield* Effect.forEach(Array.from({ length: 20 }), () => reserveOne(answer()), {
        concurrency: "unbounded"
      })
      assert.strictEqual(raceResults.filter(({ _tag }) => _tag === "Admitted").length, 1)
      const quotaReached = { _tag: "QuotaReached", renewsAt: novemberMs + 1_440 * minuteMs } as const
      assert.deepStrictEqual(raceResults.find(({ _tag }) => _tag !== "Admitted"), quotaReached)
      // A repeated request counts once, and a released reservation no longer counts.
      assert.strictEqual((yield* reserveOne(answer({ idempotency: makeIdempotency("quota") })))._tag, "InProgress")
      yield* ledger.end([makeRelease(getReservation(batch[0]!))])
      assert.strictEqual((yield* reserveOne(answer()))._tag, "Admitted")
      assert.deepStrictEqual(yield* reserveOne(answer()), quotaReached)
      assert.strictEqual((yield* reserveOne(answer(), novemberMs + 1_440 * minuteMs))._tag, "Admitted")
    }))

  it.effect("identifies a repeated call by its first reservation with the same key and request", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const idempotency = makeIdempotency("origin")
      const first = getReservation(yield* reserveOne(makeRequest(account, { idempotency })))
      assert.strictEqual(first.origin, first.entry)
      yield* ledger.end([makeRelease(first)])
      const repeated = getReservation(yield* reserveOne(makeRequest(account, { idempotency })))
      assert.strictEqual(repeated.origin, first.entry)
      yield* ledger.end([makeRelease(repeated)])
      const other = getReservation(
        yield* reserveOne(makeRequest(account, { idempotency: makeIdempotency("origin", { fingerprint: "2" }) }))
      )
      assert.strictEqual(other.origin, other.entry)
    }))

  it.effect("applies a plan change to current and later months, and not to past ones", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(51)
      const december = Date.UTC(2026, 11, 2)
      for (const at of [novemberMs, december]) {
        yield* ledger.end([makeRelease(getReservation(yield* reserveOne(makeRequest(account), at)))], at)
      }
      yield* ledger.definePlans({ "contract-51": 52 })
      assert.strictEqual((yield* ledger.balance(account, "2026-12"))?.monthlyCredits, 52)
      yield* ledger.changePlan(account, "contract-none", december)
      assert.strictEqual((yield* ledger.balance(account, "2026-11"))?.monthlyCredits, 52)
      assert.strictEqual((yield* ledger.balance(account, "2026-12"))?.monthlyCredits, 0)
    }))
}

export const testRaces = (it: LedgerTests): void => {
  it.effect("deletes stored responses in the sweep after their retention", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(10)
      const idempotency = makeIdempotency("pruned", { retentionMs: 2 * minuteMs })
      yield* ledger.end([
        makeSettlement(getReservation(yield* reserveOne(makeRequest(account, { idempotency }))), "gone soon")
      ])
      yield* expireAll(novemberMs + 2 * minuteMs - 1)
      assert.strictEqual((yield* ledger.readIdempotencyState(account, idempotency))?._tag, "Replayed")
      yield* expireAll(novemberMs + 2 * minuteMs)
      assert.strictEqual(yield* ledger.readIdempotencyState(account, idempotency), null)
    }))

  it.effect("admits exactly as many concurrent calls as there are credits", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* createAccountWithCredits(7)
      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }),
        () => reserveOne(makeRequest(account)),
        { concurrency: "unbounded" }
      )
      const creditsLeft = answers.flatMap((answer) => answer._tag === "Admitted" ? [answer.creditsLeft] : [])
      assert.deepStrictEqual(creditsLeft.sort((a, b) => a - b), [0, 1, 2, 3, 4, 5, 6])
      assert.strictEqual(answers.filter(({ _tag }) => _tag === "Refused").length, 193)
      const ends = yield* Effect.forEach(
        answers.flatMap((answer) => answer._tag === "Admitted" ? [answer.reservation, answer.reservation] : []),
        (reservation) => Effect.map(ledger.end([makeSettlement(reservation)]), ([ending]) => ending!._tag),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(ends.filter((tag) => tag === "Ended").length, 7)
      assert.strictEqual((yield* ledger.balance(account, month))?.used, 7)
    }))

  it.effect("admits one of several concurrent calls with the same idempotency key", () =>
    Effect.gen(function*() {
      const account = yield* createAccountWithCredits(100)
      const lastMomentOfMonth = Date.UTC(2026, 10, 30, 23, 59, 59, 999)
      // Half of the requests are in the old month and half in the new month, and all requests share one idempotency
      // key.
      const answers = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, i) => lastMomentOfMonth + (i % 2)),
        (at) => reserveOne(makeRequest(account, { idempotency: makeIdempotency("race") }), at),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ _tag }) => _tag === "Admitted").length, 1)
      assert.strictEqual(answers.filter(({ _tag }) => _tag === "InProgress").length, 39)
    }))
}
