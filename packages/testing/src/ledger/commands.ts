import {
  type Actor,
  type Idempotency,
  type KeyStore,
  type LedgerStore,
  type Month,
  monthEnd,
  monthOf,
  type Reservation,
  type ReserveRequest
} from "@tapeline/core/engine"
import { Effect } from "effect"
import fc from "fast-check"
import type { Auditor } from "./auditor.ts"
import type { LedgerRows } from "./rows.ts"

/** A ledger store with the extras that a model run needs. */
export interface LedgerUnderTest {
  readonly store: LedgerStore["Service"]
  readonly keys: KeyStore["Service"]
  /** Returns the stored rows of some accounts. */
  readonly rows: (accounts: ReadonlyArray<number>) => Effect.Effect<LedgerRows, unknown>
}

type Command = fc.AsyncCommand<Auditor, LedgerUnderTest>

/** The number of executed commands, which shows how much a run covered. */
export const executed = { commands: 0 }

/** Creates a command named by its arguments. The command acts, checks the answer, then audits all stored rows. */
const command = (
  name: string,
  act: (auditor: Auditor, ledger: LedgerUnderTest) => Effect.Effect<unknown, unknown>,
  check: (auditor: Readonly<Auditor>) => boolean = () => true
): Command => ({
  check: (auditor) => check(auditor),
  run: (auditor, ledger) => {
    executed.commands++
    return Effect.runPromise(Effect.asVoid(Effect.andThen(
      act(auditor, ledger),
      Effect.map(ledger.rows(auditor.accounts), (rows) => auditor.audit(rows))
    )))
  },
  toString: () => name
})

const sync = (act: () => void) => Effect.sync(act)

const minute = 60_000
const day = 1_440 * minute

/** The actors of a model run. Their key ids are far from a store's own ids, and the keys have no names. */
const actors = [
  { _tag: "Key", key: 900_000_001 },
  { _tag: "Key", key: 900_000_002 },
  { _tag: "Session", session: 1 },
  { _tag: "Session", session: 2 },
  { _tag: "Task", task: 2 }
] as const

interface Ask {
  readonly account: number
  readonly credits: number
  readonly tool: string
  readonly actor: Actor
  readonly ttlMs: number
  readonly idempotency: Idempotency | null
  readonly quota?: { readonly max: number } | undefined
}

const account = fc.nat({ max: 2 })
const credits = fc.constantFrom(1, 1, 1, 2, 5, 20)
const ttlMs = fc.constantFrom(1_000, minute, 10 * minute, 40 * day)
const idempotency = fc.record({
  key: fc.constantFrom("a", "b", "c"),
  fingerprint: fc.constantFrom("one", "one", "one", "two"),
  retainMs: fc.constantFrom(5 * minute, day)
})
const ask: fc.Arbitrary<Ask> = fc.record({
  account,
  credits,
  tool: fc.constantFrom("get_price", "get_book", "agent.answer"),
  actor: fc.constantFrom(...actors),
  ttlMs,
  idempotency: fc.oneof(fc.constant(null), fc.constant(null), idempotency),
  quota: fc.constantFrom(undefined, undefined, undefined, { max: 1 }, { max: 3 })
})

const requestOf = (auditor: Auditor, { account, ...rest }: Ask): ReserveRequest => ({
  ...rest,
  // An index one past the existing accounts means an unknown account.
  account: auditor.accounts[account] ?? 999_999_999
})

/** Replaces the store's current time by the model's time. */
const at = (auditor: Auditor) => ({ at: auditor.now })

const hasReservations = (auditor: Readonly<Auditor>) => auditor.reservations.length > 0

/** Picks a reservation, ended or not. The latest ones are the most likely. */
const pick = (auditor: Auditor, back: number): Reservation =>
  auditor.reservations[auditor.reservations.length - 1 - (back % auditor.reservations.length)]!

const reserve = fc.array(
  fc.oneof({ weight: 30, arbitrary: ask }, { weight: 1, arbitrary: ask.map((a) => ({ ...a, account: 3 })) }),
  {
    minLength: 1,
    maxLength: 5
  }
).map((asks) =>
  command(`reserve ${JSON.stringify(asks)}`, (auditor, { store }) => {
    const requests = asks.map((one) => requestOf(auditor, one))
    return Effect.map(store.reserve(requests, at(auditor)), (answers) => auditor.reserved(requests, answers))
  })
)

const race = fc.record({ account, credits: fc.constantFrom(1, 2, 5), callers: fc.integer({ min: 2, max: 9 }) }).map((
  shape
) =>
  command(`race ${JSON.stringify(shape)}`, (auditor, { store }) => {
    const one: Ask = {
      ...shape,
      tool: "get_price",
      actor: actors[0],
      ttlMs: minute,
      idempotency: null,
      quota: undefined
    }
    const requests = Array.from({ length: shape.callers }, () => requestOf(auditor, one))
    return Effect.map(
      Effect.forEach(requests, (request) => Effect.map(store.reserve([request], at(auditor)), ([answer]) => answer!), {
        concurrency: "unbounded"
      }),
      (answers) => auditor.raced(requests, answers)
    )
  })
)

const back = fc.nat({ max: 12 })
const outcome = fc.oneof(
  fc.record({ _tag: fc.constant("Settle" as const), answer: fc.constantFrom("yes", "no", null) }),
  fc.record({ _tag: fc.constant("Release" as const) })
)

const end = fc.array(fc.record({ back, outcome }), { minLength: 1, maxLength: 4 }).map((ends) =>
  command(`end ${JSON.stringify(ends)}`, (auditor, { store }) => {
    const requests = ends.map(({ back, outcome }) => ({ reservation: pick(auditor, back), outcome }))
    return Effect.map(store.end(requests, at(auditor)), (answers) => auditor.ended(requests, answers))
  }, hasReservations)
)

const endRace = fc.record({ back, outcome }).map(({ back, outcome }) =>
  command(`race to end ${back} ${outcome._tag}`, (auditor, { store }) => {
    const request = { reservation: pick(auditor, back), outcome }
    return Effect.map(
      Effect.forEach([1, 2, 3], () => Effect.map(store.end([request], at(auditor)), ([answer]) => answer!), {
        concurrency: "unbounded"
      }),
      (answers) =>
        auditor.ended(
          [request, request, request],
          answers.toSorted((a, b) => a._tag === b._tag ? 0 : a._tag === "Ended" ? -1 : 1)
        )
    )
  }, hasReservations)
)

const renew = fc.record({ back, ttlMs }).map(({ back, ttlMs }) =>
  command(`renew ${back} for ${ttlMs}`, (auditor, { store }) => {
    const reservation = pick(auditor, back)
    const expiresAt = auditor.now + ttlMs
    return Effect.map(
      store.renew(reservation, ttlMs, at(auditor)),
      (answer) => auditor.renewed(reservation, expiresAt, answer)
    )
  }, hasReservations)
)

const sweep = fc.constantFrom(2, 1_000).map((limit) =>
  command(
    `sweep ${limit}`,
    (auditor, { rows, store }) =>
      Effect.flatMap(store.expire(limit, at(auditor)), (count) =>
        Effect.map(rows(auditor.accounts), (held) => auditor.swept(limit, count, held)))
  )
)

const wait = fc.constantFrom(1, 1_000, minute, 6 * minute, day).map((ms) =>
  command(`wait ${ms}`, (auditor) => sync(() => void (auditor.now += ms)))
)

const turnMonth = fc.constantFrom(-1, 0, 5).map((offset) =>
  command(
    `to the turn of the month ${offset}`,
    (auditor) => sync(() => void (auditor.now = Math.max(auditor.now, monthEnd(auditor.month) + offset)))
  )
)

const plan = fc.nat({ max: 3 })
const planName = (auditor: Auditor, index: number) => [...auditor.plans.keys()][index % auditor.plans.size]!

const changePlan = fc.record({ account, plan }).map(({ account, plan }) =>
  command(`change account ${account} to plan ${plan}`, (auditor, { store }) => {
    const [id, name] = [auditor.accounts[account]!, planName(auditor, plan)]
    return Effect.map(store.changePlan(id, name, at(auditor)), (answer) => auditor.changedPlan(id, name, answer))
  })
)

const definePlan = fc.record({ plan, credits: fc.constantFrom(0, 3, 25, 60) }).map(({ credits, plan }) =>
  command(`define plan ${plan} as ${credits}`, (auditor, { store }) => {
    const name = planName(auditor, plan)
    return Effect.map(store.definePlans({ [name]: credits }, at(auditor)), () => auditor.definedPlan(name, credits))
  })
)

const recall = fc.record({ account, idempotency }).map(({ account, idempotency }) =>
  command(`recall ${account} ${JSON.stringify(idempotency)}`, (auditor, { store }) => {
    const id = auditor.accounts[account]!
    return Effect.map(store.recall(id, idempotency, at(auditor)), (answer) => auditor.recalled(id, idempotency, answer))
  })
)

const answersToday = account.map((account) =>
  command(`answers of ${account} today`, (auditor, { store }) => {
    const id = auditor.accounts[account]!
    return Effect.map(store.answersToday(id, at(auditor)), (answer) => auditor.counted(id, answer))
  })
)

const monthBefore = (month: Month): Month => monthOf(Date.parse(`${month}-01T00:00:00Z`) - 1)

const books = account.map((account) =>
  command(`books of ${account}`, (auditor, { store }) => {
    const id = auditor.accounts[account]!
    return Effect.map(store.books(id, null, at(auditor)), (answer) => auditor.told(id, auditor.month, answer))
  })
)

const usage = fc.record({ account, last: fc.boolean() }).map(({ account, last }) =>
  command(`usage of ${account}${last ? " in the month before" : ""}`, (auditor, { store }) => {
    const id = auditor.accounts[account]!
    const month = last ? monthBefore(auditor.month) : auditor.month
    return Effect.map(
      store.usage(id, last ? month : null, at(auditor)),
      (answer) => auditor.toldUsage(id, month, answer)
    )
  })
)

/** The commands of a model run. Reservations and ends are the most frequent. */
export const ledgerCommands: Array<fc.Arbitrary<Command>> = [
  reserve,
  reserve,
  reserve,
  reserve,
  race,
  end,
  end,
  end,
  endRace,
  renew,
  sweep,
  wait,
  wait,
  turnMonth,
  changePlan,
  definePlan,
  recall,
  answersToday,
  books,
  usage
]
