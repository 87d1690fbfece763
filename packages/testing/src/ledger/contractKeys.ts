import { assert } from "@effect/vitest"
import { maxAnswerBytes, type ReserveRequest } from "@tapeline/core/engine"
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
  reserveOne,
  settle,
  storeAtNovember,
  sweepAll,
  under
} from "./contractCalls.ts"

export const replaying = (it: LedgerTests): void => {
  it.effect("replays a settled answer, and tells a repeat to wait until then", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(10)
      const idempotency = under("repeat")
      assert.strictEqual(yield* ledger.recall(account, idempotency), null)
      const reservation = admitted(yield* reserveOne(ask(account, { idempotency })))
      const waiting = { _tag: "InProgress" as const, lapsesInMs: minute }
      assert.deepStrictEqual(yield* reserveOne(ask(account, { idempotency })), waiting)
      assert.deepStrictEqual(yield* ledger.recall(account, idempotency), waiting)
      yield* ledger.end([settle(reservation, "the answer")])
      const replayed = { _tag: "Replayed" as const, answer: "the answer" }
      assert.deepStrictEqual(yield* reserveOne(ask(account, { idempotency })), replayed)
      assert.deepStrictEqual(yield* ledger.recall(account, idempotency), replayed)
      const other = under("repeat", { fingerprint: "two" })
      assert.deepStrictEqual(yield* reserveOne(ask(account, { idempotency: other })), { _tag: "Reused" })
      assert.deepStrictEqual(yield* ledger.recall(account, other), { _tag: "Reused" })
      assert.strictEqual((yield* ledger.books(account, month))?.used, 1)
      const neighbour = yield* accountWith(10)
      assert.strictEqual((yield* reserveOne(ask(neighbour, { idempotency })))._tag, "Admitted")
    }))

  it.effect("charges a call whose answer is too long to keep, and replays it empty", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(10)
      const [kept, lost] = [under("kept"), under("lost")]
      const reservations =
        (yield* ledger.reserve([ask(account, { idempotency: kept }), ask(account, { idempotency: lost })]))
          .map(admitted)
      const longest = "\u00e9".repeat(maxAnswerBytes / 2)
      const endings = yield* ledger.end([
        settle(reservations[0]!, longest),
        settle(reservations[1]!, `${longest}.`)
      ])
      assert.deepStrictEqual(endings.map(({ _tag }) => _tag), ["Ended", "Ended"])
      assert.deepStrictEqual(yield* ledger.recall(account, kept), { _tag: "Replayed", answer: longest })
      assert.deepStrictEqual(yield* ledger.recall(account, lost), { _tag: "Replayed", answer: "" })
      assert.strictEqual((yield* ledger.books(account, month))?.used, 2)
    }))
}

export const freeingKeys = (it: LedgerTests): void => {
  it.effect("frees an idempotency key by release, by lapse and after its retention", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(10)
      const idempotency = under("again", { retainMs: 10 * minute })
      const released = admitted(yield* reserveOne(ask(account, { idempotency })))
      yield* ledger.end([release(released)])
      assert.strictEqual(yield* ledger.recall(account, idempotency), null)

      const lapsed = admitted(yield* reserveOne(ask(account, { idempotency })))
      const past = november + minute
      assert.strictEqual(yield* ledger.recall(account, idempotency, past), null)
      const kept = admitted(yield* reserveOne(ask(account, { idempotency }), past))
      // If the clock is set back, a reservation whose key has moved must not be charged.
      assert.strictEqual((yield* ledger.end([settle(lapsed, "late")]))[0]?._tag, "AlreadyEnded")

      yield* ledger.end([settle(kept, "kept")], past)
      const forgotten = past + 10 * minute
      assert.strictEqual((yield* reserveOne(ask(account, { idempotency }), forgotten - 1))._tag, "Replayed")
      assert.strictEqual(yield* ledger.recall(account, idempotency, forgotten), null)
      admitted(yield* reserveOne(ask(account, { idempotency }), forgotten))
      assert.strictEqual((yield* ledger.books(account, month))?.used, 1)
    }))

  it.effect("sees equal keys within one batch", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(10)
      const idempotency = under("twins")
      const answers = yield* ledger.reserve([
        ask(account, { idempotency, credits: 11 }),
        ask(account, { idempotency }),
        ask(account, { idempotency }),
        ask(account, { idempotency: under("twins", { fingerprint: "two" }) }),
        ask(account, { idempotency: under("another") })
      ])
      assert.deepStrictEqual(answers.map(({ _tag }) => _tag), [
        "Refused",
        "Admitted",
        "InProgress",
        "Reused",
        "Admitted"
      ])
    }))

  it.effect("counts the answers of a day: those under way and those given, not those given back", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(100)
      const answer = (at: number) => reserveOne(ask(account, { tool: "agent.answer", ttlMs: 10 * minute }), at)
      const today = ledger.answersToday(account, november + minute)
      const count = Effect.map(today, (answers) => answers.count)
      assert.strictEqual((yield* today).renewsAt, november + 1_440 * minute)
      yield* answer(november - minute)
      yield* reserveOne(ask(account))
      assert.strictEqual(yield* count, 0)
      const given = admitted(yield* answer(november + minute))
      const givenBack = admitted(yield* answer(november + 2 * minute))
      assert.strictEqual(yield* count, 2)
      yield* ledger.end([settle(given), release(givenBack)])
      assert.strictEqual(yield* count, 1)
    }))
}

export const judgingQuotas = (it: LedgerTests): void => {
  it.effect("judges a quota in the same write, over a batch and over racing callers, and by the day", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(100)
      const answer = (change: Partial<ReserveRequest> = {}) =>
        ask(account, { tool: "agent.answer", ttlMs: 10 * minute, quota: { max: 3 }, ...change })
      const batch = yield* ledger.reserve([answer(), answer({ idempotency: under("quota") })])
      assert.deepStrictEqual(batch.map(({ _tag }) => _tag), ["Admitted", "Admitted"])
      const raced = yield* Effect.forEach(Array.from({ length: 20 }), () => reserveOne(answer()), {
        concurrency: "unbounded"
      })
      assert.strictEqual(raced.filter(({ _tag }) => _tag === "Admitted").length, 1)
      const renews = { _tag: "QuotaReached", renewsAt: november + 1_440 * minute } as const
      assert.deepStrictEqual(raced.find(({ _tag }) => _tag !== "Admitted"), renews)
      // A repeated request counts once, and a released reservation no longer counts.
      assert.strictEqual((yield* reserveOne(answer({ idempotency: under("quota") })))._tag, "InProgress")
      yield* ledger.end([release(admitted(batch[0]!))])
      assert.strictEqual((yield* reserveOne(answer()))._tag, "Admitted")
      assert.deepStrictEqual(yield* reserveOne(answer()), renews)
      assert.strictEqual((yield* reserveOne(answer(), november + 1_440 * minute))._tag, "Admitted")
    }))

  it.effect("names a call by the first reservation under its key for the same request", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(10)
      const idempotency = under("origin")
      const first = admitted(yield* reserveOne(ask(account, { idempotency })))
      assert.strictEqual(first.origin, first.entry)
      yield* ledger.end([release(first)])
      const again = admitted(yield* reserveOne(ask(account, { idempotency })))
      assert.strictEqual(again.origin, first.entry)
      yield* ledger.end([release(again)])
      const other = admitted(
        yield* reserveOne(ask(account, { idempotency: under("origin", { fingerprint: "2" }) }))
      )
      assert.strictEqual(other.origin, other.entry)
    }))

  it.effect("lays a changed plan over a month that was opened ahead of the others, and over none that is past", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(51)
      const december = Date.UTC(2026, 11, 2)
      for (const at of [november, december]) {
        yield* ledger.end([release(admitted(yield* reserveOne(ask(account), at)))], at)
      }
      yield* ledger.definePlans({ "contract-51": 52 })
      assert.strictEqual((yield* ledger.books(account, "2026-12"))?.allotted, 52)
      yield* ledger.changePlan(account, "contract-none", december)
      assert.strictEqual((yield* ledger.books(account, "2026-11"))?.allotted, 52)
      assert.strictEqual((yield* ledger.books(account, "2026-12"))?.allotted, 0)
    }))
}

export const racing = (it: LedgerTests): void => {
  it.effect("forgets answers in the sweep, once their retention has passed", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(10)
      const idempotency = under("pruned", { retainMs: 2 * minute })
      yield* ledger.end([settle(admitted(yield* reserveOne(ask(account, { idempotency }))), "gone soon")])
      yield* sweepAll(november + 2 * minute - 1)
      assert.strictEqual((yield* ledger.recall(account, idempotency))?._tag, "Replayed")
      yield* sweepAll(november + 2 * minute)
      assert.strictEqual(yield* ledger.recall(account, idempotency), null)
    }))

  it.effect("gives the last credits to exactly as many as there are, however many race", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(7)
      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }),
        () => reserveOne(ask(account)),
        { concurrency: "unbounded" }
      )
      const lefts = answers.flatMap((answer) => answer._tag === "Admitted" ? [answer.creditsLeft] : [])
      assert.deepStrictEqual(lefts.sort((a, b) => a - b), [0, 1, 2, 3, 4, 5, 6])
      assert.strictEqual(answers.filter(({ _tag }) => _tag === "Refused").length, 193)
      const ends = yield* Effect.forEach(
        answers.flatMap((answer) => answer._tag === "Admitted" ? [answer.reservation, answer.reservation] : []),
        (reservation) => Effect.map(ledger.end([settle(reservation)]), ([ending]) => ending!._tag),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(ends.filter((tag) => tag === "Ended").length, 7)
      assert.strictEqual((yield* ledger.books(account, month))?.used, 7)
    }))

  it.effect("admits one of many who race with one idempotency key", () =>
    Effect.gen(function*() {
      const account = yield* accountWith(100)
      const eve = Date.UTC(2026, 10, 30, 23, 59, 59, 999)
      // Half of the requests are in the old month and half in the new one. The months have separate balances but share
      // the key.
      const answers = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, i) => eve + (i % 2)),
        (at) => reserveOne(ask(account, { idempotency: under("race") }), at),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ _tag }) => _tag === "Admitted").length, 1)
      assert.strictEqual(answers.filter(({ _tag }) => _tag === "InProgress").length, 39)
    }))
}
