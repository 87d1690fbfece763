import { assert, layer as withLayer } from "@effect/vitest"
import { KeyStore } from "@tapeline/core/access"
import {
  type Admission,
  type EndRequest,
  type Idempotency,
  LedgerStore,
  maxAnswerBytes,
  type Reservation,
  type ReserveRequest
} from "@tapeline/core/credits"
import { Effect, type Layer } from "effect"

const november = Date.UTC(2026, 10, 20)
const month = "2026-11"
const minute = 60_000

/** An account on a plan of its own with so many credits a month. */
const accountWith = (credits: number) =>
  Effect.gen(function*() {
    const keys = yield* KeyStore
    const ledger = yield* LedgerStore
    const plan = `contract-${credits}`
    yield* ledger.definePlans({ [plan]: credits }, month)
    const { id } = yield* keys.createAccount({ name: "contract", plan, now: november })
    return id
  })

const ask = (account: number, change: Partial<ReserveRequest> = {}): ReserveRequest => ({
  account,
  key: 1,
  tool: "get_price",
  credits: 1,
  now: november,
  expiresAt: november + minute,
  idempotency: null,
  ...change
})

const under = (key: string, change: Partial<Idempotency> = {}): Idempotency => ({
  key,
  fingerprint: "one",
  retainMs: 1_440 * minute,
  ...change
})

const settle = (reservation: Reservation, answer: string | null = null, now = november): EndRequest => ({
  reservation,
  now,
  outcome: { _tag: "Settle", answer }
})

const release = (reservation: Reservation, now = november): EndRequest => ({
  reservation,
  now,
  outcome: { _tag: "Release" }
})

const reserveOne = (request: ReserveRequest) =>
  Effect.gen(function*() {
    const ledger = yield* LedgerStore
    const [admission] = yield* ledger.reserve([request])
    return admission!
  })

const admitted = (admission: Admission): Reservation => {
  assert(admission._tag === "Admitted", `expected an admission, got ${admission._tag}`)
  return admission.reservation
}

/** Sweeps until nothing that lapsed by `now` is left, so that a count is of a test's own reservations only. */
const sweepAll = (now: number) =>
  Effect.gen(function*() {
    const ledger = yield* LedgerStore
    let swept = 0
    for (;;) {
      const count = yield* ledger.expire(now, 100)
      if (count === 0) return swept
      swept += count
    }
  })

/** What every `LedgerStore` promises, as tests. The layer is built once; every test has accounts of its own. */
export const ledgerStoreContract = <E>(
  name: string,
  layer: Layer.Layer<LedgerStore | KeyStore, E>,
  options: { readonly timeoutMs?: number } = {}
): void =>
  withLayer(layer, { excludeTestServices: true, timeout: options.timeoutMs ?? 60_000 })(
    `LedgerStore: ${name}`,
    (it) => {
      it.effect("admits within the allotment and counts down", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
          const account = yield* accountWith(10)
          const answers = yield* ledger.reserve([1, 2, 3].map((credits) => ask(account, { credits })))
          assert.deepStrictEqual(answers.map((answer) => answer._tag === "Admitted" ? answer.creditsLeft : answer), [
            9,
            7,
            4
          ])
          const books = yield* ledger.books(account, month)
          assert.deepStrictEqual(books, { month, allotted: 10, used: 0, reserved: 6, left: 4, tools: [] })
        }))

      it.effect("judges a batch in order, and a refusal leaves room for a cheaper call after it", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
          const account = yield* accountWith(21)
          const answers = yield* ledger.reserve([5, 20, 16, 1].map((credits) => ask(account, { credits })))
          assert.deepStrictEqual(answers.map(({ _tag }) => _tag), ["Admitted", "Refused", "Admitted", "Refused"])
          assert.deepStrictEqual(answers[1], { _tag: "Refused", creditsLeft: 16, allotted: 21 })
          assert.deepStrictEqual(answers[3], { _tag: "Refused", creditsLeft: 0, allotted: 21 })
        }))

      it.effect("takes a batch of several accounts, unknown ones too", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
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

      it.effect("ends a reservation once, by settling or releasing", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
          const account = yield* accountWith(10)
          const first = admitted(yield* reserveOne(ask(account, { credits: 4 })))
          const second = admitted(yield* reserveOne(ask(account, { credits: 3, tool: "get_book" })))
          const endings = yield* ledger.end([settle(first), release(second), settle(second), release(first)])
          assert.deepStrictEqual(endings, [
            { _tag: "Ended", creditsLeft: 3 },
            { _tag: "Ended", creditsLeft: 6 },
            { _tag: "AlreadyEnded", creditsLeft: 6 },
            { _tag: "AlreadyEnded", creditsLeft: 6 }
          ])
          assert.deepStrictEqual(yield* ledger.end([settle(first)]), [{ _tag: "AlreadyEnded", creditsLeft: 6 }])
          assert.deepStrictEqual(yield* ledger.books(account, month), {
            month,
            allotted: 10,
            used: 4,
            reserved: 0,
            left: 6,
            tools: [
              { name: "get_book", calls: 1, failed: 1, credits: 0 },
              { name: "get_price", calls: 1, failed: 0, credits: 4 }
            ]
          })
        }))

      it.effect("refuses to end what was never reserved, and what is another account's", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
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

      it.effect("never charges what has lapsed, and gives it back in a sweep", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
          const account = yield* accountWith(10)
          const reservation = admitted(yield* reserveOne(ask(account, { credits: 4 })))
          const [late] = yield* ledger.end([settle(reservation, null, november + minute)])
          assert.deepStrictEqual(late, { _tag: "AlreadyEnded", creditsLeft: 6 })
          assert.isAtLeast(yield* sweepAll(november + minute), 1)
          assert.strictEqual(yield* ledger.expire(november + minute, 100), 0)
          assert.deepStrictEqual(yield* ledger.books(account, month), {
            month,
            allotted: 10,
            used: 0,
            reserved: 0,
            left: 10,
            tools: [{ name: "get_price", calls: 1, failed: 1, credits: 0 }]
          })
          assert.deepStrictEqual(yield* ledger.end([settle(reservation)]), [{ _tag: "AlreadyEnded", creditsLeft: 10 }])
        }))

      it.effect("sweeps no more than it is asked to, the longest lapsed first", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
          const era = november + 100 * minute
          yield* sweepAll(era)
          const account = yield* accountWith(10)
          yield* ledger.reserve([3, 1, 2].map((credits) => ask(account, { credits, expiresAt: era + credits })))
          assert.strictEqual(yield* ledger.expire(era + 3, 2), 2)
          assert.strictEqual((yield* ledger.books(account, month))?.reserved, 3)
          assert.strictEqual(yield* ledger.expire(era + 2, 2), 0)
          assert.strictEqual(yield* ledger.expire(era + 3, 2), 1)
        }))

      it.effect("renews what runs, forward only, and nothing that ended or lapsed", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
          const account = yield* accountWith(10)
          const reservation = admitted(yield* reserveOne(ask(account)))
          const later = november + 5 * minute
          assert.isTrue(yield* ledger.renew(reservation, november, later))
          assert.isTrue(yield* ledger.renew(reservation, november, november + 1))
          const [ending] = yield* ledger.end([settle(reservation, null, later - 1)])
          assert.strictEqual(ending?._tag, "Ended")
          assert.isFalse(yield* ledger.renew(reservation, november, later))
          const lapsed = admitted(yield* reserveOne(ask(account)))
          assert.isFalse(yield* ledger.renew(lapsed, november + minute, later))
          assert.isFalse(yield* ledger.renew({ ...lapsed, entry: 987_654_321 }, november, later))
        }))

      it.effect("keeps a reservation in the month in which it was made", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
          const account = yield* accountWith(10)
          const eve = Date.UTC(2026, 10, 30, 23, 59, 59, 999)
          const [old, fresh] = yield* ledger.reserve([
            ask(account, { now: eve, expiresAt: eve + minute, credits: 7 }),
            ask(account, { now: eve + 1, expiresAt: eve + minute, credits: 8 })
          ])
          assert.deepStrictEqual(admitted(old!).month, "2026-11")
          assert.deepStrictEqual(admitted(fresh!).month, "2026-12")
          yield* ledger.end([settle(admitted(old!), null, eve + 10), release(admitted(fresh!), eve + 10)])
          assert.strictEqual((yield* ledger.books(account, "2026-11"))?.used, 7)
          assert.deepStrictEqual(yield* ledger.books(account, "2026-12"), {
            month: "2026-12",
            allotted: 10,
            used: 0,
            reserved: 0,
            left: 10,
            tools: [{ name: "get_price", calls: 1, failed: 1, credits: 0 }]
          })
        }))

      it.effect("changes the allotment with the plan, at once and in that month", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
          const account = yield* accountWith(100)
          yield* ledger.definePlans({ "contract-3": 3, "contract-200": 200 }, month)
          const reservation = admitted(yield* reserveOne(ask(account, { credits: 50 })))
          assert.isTrue(yield* ledger.changePlan(account, "contract-3", month))
          assert.deepStrictEqual(yield* reserveOne(ask(account)), { _tag: "Refused", creditsLeft: 0, allotted: 3 })
          assert.deepStrictEqual(yield* ledger.end([settle(reservation)]), [{ _tag: "Ended", creditsLeft: 0 }])
          const lowered = yield* ledger.books(account, month)
          assert.deepStrictEqual([lowered?.allotted, lowered?.used, lowered?.left], [3, 50, 0])
          assert.isTrue(yield* ledger.changePlan(account, "contract-200", month))
          assert.strictEqual((yield* ledger.books(account, month))?.left, 150)
          assert.strictEqual((yield* ledger.books(account, "2026-12"))?.left, 200)
          assert.isFalse(yield* ledger.changePlan(999_999_999, "contract-3", month))
        }))

      it.effect("lays a plan's new allotment over open months", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
          const account = yield* accountWith(41)
          admitted(yield* reserveOne(ask(account, { credits: 40 })))
          yield* ledger.definePlans({ "contract-41": 30 }, month)
          assert.deepStrictEqual(yield* reserveOne(ask(account)), { _tag: "Refused", creditsLeft: 0, allotted: 30 })
          yield* ledger.definePlans({ "contract-41": 50 }, month)
          assert.strictEqual((yield* ledger.books(account, month))?.left, 10)
        }))

      it.effect("replays a settled answer, and tells a repeat to wait until then", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
          const account = yield* accountWith(10)
          const idempotency = under("repeat")
          assert.strictEqual(yield* ledger.recall(account, idempotency, november), null)
          const reservation = admitted(yield* reserveOne(ask(account, { idempotency })))
          const waiting = { _tag: "InProgress" as const, expiresAt: november + minute }
          assert.deepStrictEqual(yield* reserveOne(ask(account, { idempotency })), waiting)
          assert.deepStrictEqual(yield* ledger.recall(account, idempotency, november), waiting)
          yield* ledger.end([settle(reservation, "the answer")])
          const replayed = { _tag: "Replayed" as const, answer: "the answer" }
          assert.deepStrictEqual(yield* reserveOne(ask(account, { idempotency })), replayed)
          assert.deepStrictEqual(yield* ledger.recall(account, idempotency, november), replayed)
          const other = under("repeat", { fingerprint: "two" })
          assert.deepStrictEqual(yield* reserveOne(ask(account, { idempotency: other })), { _tag: "Reused" })
          assert.deepStrictEqual(yield* ledger.recall(account, other, november), { _tag: "Reused" })
          assert.strictEqual((yield* ledger.books(account, month))?.used, 1)
          const neighbour = yield* accountWith(10)
          assert.strictEqual((yield* reserveOne(ask(neighbour, { idempotency })))._tag, "Admitted")
        }))

      it.effect("charges a call whose answer is too long to keep, and replays it empty", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
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
          assert.deepStrictEqual(yield* ledger.recall(account, kept, november), { _tag: "Replayed", answer: longest })
          assert.deepStrictEqual(yield* ledger.recall(account, lost, november), { _tag: "Replayed", answer: "" })
          assert.strictEqual((yield* ledger.books(account, month))?.used, 2)
        }))

      it.effect("frees an idempotency key by release, by lapse and after its retention", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
          const account = yield* accountWith(10)
          const idempotency = under("again", { retainMs: 10 * minute })
          const released = admitted(yield* reserveOne(ask(account, { idempotency })))
          yield* ledger.end([release(released)])
          assert.strictEqual(yield* ledger.recall(account, idempotency, november), null)

          const lapsed = admitted(yield* reserveOne(ask(account, { idempotency })))
          const past = november + minute
          assert.strictEqual(yield* ledger.recall(account, idempotency, past), null)
          const kept = admitted(yield* reserveOne(ask(account, { idempotency, now: past, expiresAt: past + minute })))
          // A node with a slower clock may not charge the one whose key was given away.
          assert.strictEqual((yield* ledger.end([settle(lapsed, "late", november)]))[0]?._tag, "AlreadyEnded")

          yield* ledger.end([settle(kept, "kept", past)])
          const forgotten = past + 10 * minute
          assert.strictEqual((yield* reserveOne(ask(account, { idempotency, now: forgotten - 1 })))._tag, "Replayed")
          assert.strictEqual(yield* ledger.recall(account, idempotency, forgotten), null)
          admitted(yield* reserveOne(ask(account, { idempotency, now: forgotten, expiresAt: forgotten + minute })))
          assert.strictEqual((yield* ledger.books(account, month))?.used, 1)
        }))

      it.effect("sees equal keys within one batch", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
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
          const ledger = yield* LedgerStore
          const account = yield* accountWith(100)
          const answer = (now: number) =>
            reserveOne(ask(account, { tool: "agent.answer", now, expiresAt: now + minute }))
          const count = ledger.answersSince(account, november + minute)
          yield* answer(november)
          yield* reserveOne(ask(account, { now: november + minute }))
          assert.strictEqual(yield* count, 0)
          const given = admitted(yield* answer(november + minute))
          const givenBack = admitted(yield* answer(november + 2 * minute))
          assert.strictEqual(yield* count, 2)
          yield* ledger.end([settle(given), release(givenBack)])
          assert.strictEqual(yield* count, 1)
        }))

      it.effect("forgets answers in the sweep, once their retention has passed", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
          const account = yield* accountWith(10)
          const idempotency = under("pruned", { retainMs: 2 * minute })
          yield* ledger.end([settle(admitted(yield* reserveOne(ask(account, { idempotency }))), "gone soon")])
          yield* sweepAll(november + 2 * minute - 1)
          assert.strictEqual((yield* ledger.recall(account, idempotency, november))?._tag, "Replayed")
          yield* sweepAll(november + 2 * minute)
          assert.strictEqual(yield* ledger.recall(account, idempotency, november), null)
        }))

      it.effect("gives the last credits to exactly as many as there are, however many race", () =>
        Effect.gen(function*() {
          const ledger = yield* LedgerStore
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
          // Half of them in the old month, half in the new one: books apart, and the key the same.
          const answers = yield* Effect.forEach(
            Array.from({ length: 40 }, (_, i) => eve + (i % 2)),
            (now) => reserveOne(ask(account, { now, expiresAt: eve + minute, idempotency: under("race") })),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(answers.filter(({ _tag }) => _tag === "Admitted").length, 1)
          assert.strictEqual(answers.filter(({ _tag }) => _tag === "InProgress").length, 39)
        }))
    }
  )
