import { assert, layer as withLayer } from "@effect/vitest"
import { KeyStore } from "@tapeline/core/access"
import {
  type Admission,
  type Busy,
  type EndRequest,
  type Idempotency,
  LedgerStore,
  maxAnswerBytes,
  type Month,
  type Reservation,
  type ReserveRequest
} from "@tapeline/core/credits"
import { Effect, type Layer } from "effect"

const november = Date.UTC(2026, 10, 20)
const month = "2026-11"
const minute = 60_000
const renewsAt = Date.UTC(2026, 11, 1)

/** The store at an instant that a test chooses: in November 2026, unless it says otherwise. */
const storeAtNovember = Effect.map(LedgerStore, (store) => ({
  reserve: (requests: ReadonlyArray<ReserveRequest>, at = november) => store.reserve(requests, { at }),
  end: (requests: ReadonlyArray<EndRequest>, at = november) => store.end(requests, { at }),
  renew: (reservation: Reservation, ttlMs: number, at = november) => store.renew(reservation, ttlMs, { at }),
  expire: (limit: number, at = november) => store.expire(limit, { at }),
  recall: (account: number, idempotency: Idempotency, at = november) => store.recall(account, idempotency, { at }),
  books: (account: number, month: Month | null, at = november) => store.books(account, month, { at }),
  answersToday: (account: number, at = november) => store.answersToday(account, { at }),
  changePlan: (account: number, plan: string, at = november) => store.changePlan(account, plan, { at }),
  definePlans: (credits: Readonly<Record<string, number>>, at = november) => store.definePlans(credits, { at })
}))

/** An account on a plan of its own with so many credits a month. */
const accountWith = (credits: number) =>
  Effect.gen(function*() {
    const keys = yield* KeyStore
    const ledger = yield* storeAtNovember
    const plan = `contract-${credits}`
    yield* ledger.definePlans({ [plan]: credits })
    const { id } = yield* keys.createAccount({ name: "contract", plan, now: november })
    return id
  })

const ask = (account: number, change: Partial<ReserveRequest> = {}): ReserveRequest => ({
  account,
  actor: { _tag: "Key", key: 1 },
  tool: "get_price",
  credits: 1,
  ttlMs: minute,
  idempotency: null,
  ...change
})

const under = (key: string, change: Partial<Idempotency> = {}): Idempotency => ({
  key,
  fingerprint: "one",
  retainMs: 1_440 * minute,
  ...change
})

const settle = (reservation: Reservation, answer: string | null = null): EndRequest => ({
  reservation,
  outcome: { _tag: "Settle", answer }
})

const release = (reservation: Reservation): EndRequest => ({ reservation, outcome: { _tag: "Release" } })

/** A store's answer where nobody holds the month. */
const unheld = <A extends { readonly _tag: string }>(answer: A | Busy): A => {
  assert(answer._tag !== "Busy", "somebody holds the month")
  return answer as A
}

const reserveOne = (request: ReserveRequest, at = november) =>
  Effect.gen(function*() {
    const ledger = yield* storeAtNovember
    const [admission] = yield* ledger.reserve([request], at)
    return unheld(admission!)
  })

const admitted = (admission: Admission | Busy): Reservation => {
  assert(admission._tag === "Admitted", `expected an admission, got ${admission._tag}`)
  return admission.reservation
}

/** Sweeps until nothing that lapsed by `now` is left, so that a count is of a test's own reservations only. */
const sweepAll = (now: number) =>
  Effect.gen(function*() {
    const ledger = yield* storeAtNovember
    let swept = 0
    for (;;) {
      const count = yield* ledger.expire(100, now)
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
          // A clock that is put back may not charge the one whose key was given away.
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
          // A repeat is one answer, and what was given back counts no more.
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
          // Half of them in the old month, half in the new one: books apart, and the key the same.
          const answers = yield* Effect.forEach(
            Array.from({ length: 40 }, (_, i) => eve + (i % 2)),
            (at) => reserveOne(ask(account, { idempotency: under("race") }), at),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(answers.filter(({ _tag }) => _tag === "Admitted").length, 1)
          assert.strictEqual(answers.filter(({ _tag }) => _tag === "InProgress").length, 39)
        }))
    }
  )
