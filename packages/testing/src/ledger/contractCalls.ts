import { assert, type Vitest } from "@effect/vitest"
import {
  type Admission,
  type Busy,
  type EndRequest,
  type Idempotency,
  KeyStore,
  LedgerStore,
  type Month,
  type Reservation,
  type ReserveRequest
} from "@tapeline/core/engine"
import { Effect } from "effect"

export const november = Date.UTC(2026, 10, 20)
export const month = "2026-11"
export const minute = 60_000
export const renewsAt = Date.UTC(2026, 11, 1)

/**
 * Requests that race for one month wait for each other, even on a slow machine. With the default wait, the last ones
 * would get `Busy`, which is not a fault of the store.
 */
const waitMs = 30_000

/** The store at a time that a test chooses, by default in November 2026. */
export const storeAtNovember = Effect.map(LedgerStore, (store) => ({
  reserve: (requests: ReadonlyArray<ReserveRequest>, at = november) => store.reserve(requests, { at, waitMs }),
  end: (requests: ReadonlyArray<EndRequest>, at = november) => store.end(requests, { at, waitMs }),
  renew: (reservation: Reservation, ttlMs: number, at = november) => store.renew(reservation, ttlMs, { at }),
  expire: (limit: number, at = november) => store.expire(limit, { at }),
  recall: (account: number, idempotency: Idempotency, at = november) => store.recall(account, idempotency, { at }),
  books: (account: number, month: Month | null, at = november) => store.books(account, month, { at }),
  usage: (account: number, month: Month | null, at = november) => store.usage(account, month, { at }),
  tend: (keepMonths: number, at = november) => store.tend(keepMonths, { at }),
  answersToday: (account: number, at = november) => store.answersToday(account, { at }),
  changePlan: (account: number, plan: string, at = november) => store.changePlan(account, plan, { at }),
  definePlans: (credits: Readonly<Record<string, number>>, at = november) => store.definePlans(credits, { at })
}))

/** Creates an account on its own plan with `credits` a month. */
export const accountWith = (credits: number) =>
  Effect.gen(function*() {
    const keys = yield* KeyStore
    const ledger = yield* storeAtNovember
    const plan = `contract-${credits}`
    yield* ledger.definePlans({ [plan]: credits })
    const { id } = yield* keys.createAccount({ name: "contract", plan, now: november })
    return id
  })

export const ask = (account: number, change: Partial<ReserveRequest> = {}): ReserveRequest => ({
  account,
  actor: { _tag: "Key", key: 1 },
  tool: "get_price",
  credits: 1,
  ttlMs: minute,
  idempotency: null,
  ...change
})

export const under = (key: string, change: Partial<Idempotency> = {}): Idempotency => ({
  key,
  fingerprint: "one",
  retainMs: 1_440 * minute,
  ...change
})

export const settle = (reservation: Reservation, answer: string | null = null): EndRequest => ({
  reservation,
  outcome: { _tag: "Settle", answer }
})

export const release = (reservation: Reservation): EndRequest => ({ reservation, outcome: { _tag: "Release" } })

/** Returns a store's answer, and fails on `Busy`. */
export const unheld = <A extends { readonly _tag: string }>(answer: A | Busy): A => {
  assert(answer._tag !== "Busy", "somebody holds the month")
  // The answer is not `Busy` here, but the type parameter keeps TypeScript from inferring the rest.
  return answer as A
}

export const reserveOne = (request: ReserveRequest, at = november) =>
  Effect.gen(function*() {
    const ledger = yield* storeAtNovember
    const [admission] = yield* ledger.reserve([request], at)
    return unheld(admission!)
  })

export const admitted = (admission: Admission | Busy): Reservation => {
  assert(admission._tag === "Admitted", `expected an admission, got ${admission._tag}`)
  return admission.reservation
}

/**
 * Sweeps until no reservation that expired by `now` remains, so that later counts cover only a test's own reservations.
 */
export const sweepAll = (now: number) =>
  Effect.gen(function*() {
    const ledger = yield* storeAtNovember
    let swept = 0
    for (;;) {
      const count = yield* ledger.expire(100, now)
      if (count === 0) return swept
      swept += count
    }
  })

/** Tests over an adapter's layer. */
export type LedgerTests = Vitest.MethodsNonLive<LedgerStore | KeyStore>
