import { assert, type Vitest } from "@effect/vitest"
import {
  type AccountCallQuery,
  type AdjustmentPage,
  type AdjustmentRequest,
  type Admission,
  type Busy,
  type ChargeRequest,
  type EndRequest,
  type Idempotency,
  KeyStore,
  LedgerStore,
  type Month,
  type Reservation,
  type ReserveRequest,
  type UnreservedCall,
  type UsageReportQuery
} from "@tapeline/core/engine"
import { Effect } from "effect"

export const novemberMs = Date.UTC(2026, 10, 20)
export const month = "2026-11"
export const minuteMs = 60_000
export const renewsAt = Date.UTC(2026, 11, 1)

/**
 * The maximum time in milliseconds that a request waits for a locked month. The limit is long, because concurrent
 * requests in the tests must not return `Busy`.
 */
const waitMs = 30_000

/** The methods of the ledger store, called at a time in November 2026 by default. */
export const storeAtNovember = Effect.map(LedgerStore, (store) => ({
  reserve: (requests: ReadonlyArray<ReserveRequest>, at = novemberMs) => store.reserve(requests, { at, waitMs }),
  end: (requests: ReadonlyArray<EndRequest>, at = novemberMs) => store.end(requests, { at, waitMs }),
  charge: (requests: ReadonlyArray<ChargeRequest>, at = novemberMs) => store.charge(requests, { at, waitMs }),
  recordFailures: (calls: ReadonlyArray<UnreservedCall>, at = novemberMs) =>
    store.recordFailures(calls, { at, waitMs }),
  renew: (reservation: Reservation, ttlMs: number, at = novemberMs) => store.renew(reservation, ttlMs, { at }),
  expire: (limit: number, at = novemberMs) => store.expire(limit, { at }),
  readIdempotencyState: (account: number, idempotency: Idempotency, at = novemberMs) =>
    store.idempotencyState(account, idempotency, { at }),
  balance: (account: number, month: Month | null, at = novemberMs) => store.balance(account, month, { at }),
  usage: (account: number, month: Month | null, at = novemberMs) => store.usage(account, month, { at }),
  usageReport: (query: UsageReportQuery, at = novemberMs) => store.usageReport(query, { at }),
  runHousekeeping: (keepMonths: number, at = novemberMs) => store.runHousekeeping(keepMonths, { at }),
  answersToday: (account: number, at = novemberMs) => store.answersToday(account, { at }),
  changePlan: (account: number, plan: string, at = novemberMs) => store.changePlan(account, plan, { at }),
  definePlans: (credits: Readonly<Record<string, number>>, at = novemberMs) => store.definePlans(credits, { at }),
  adjust: (request: AdjustmentRequest, at = novemberMs) => store.adjust(request, { at }),
  adjustments: (account: number, month: Month | null, page: AdjustmentPage = { after: 0, limit: 100 }) =>
    store.adjustments(account, page, month),
  calls: (query: AccountCallQuery, at = novemberMs) => store.calls(query, { at })
}))

/** Creates an account on a new plan with `credits` per month. */
export const createAccountWithCredits = (credits: number) =>
  Effect.gen(function*() {
    const keys = yield* KeyStore
    const ledger = yield* storeAtNovember
    const plan = `contract-${credits}`
    yield* ledger.definePlans({ [plan]: credits })
    const { id } = yield* keys.createAccount({ name: "contract", plan, now: novemberMs })
    return id
  })

/** Creates an API key of an account, and returns the id of the key. */
export const newKey = (account: number, name: string) =>
  Effect.gen(function*() {
    const keys = yield* KeyStore
    const hash = crypto.randomUUID().replaceAll("-", "").repeat(2)
    const keyFields = { account, name, prefix: "tl", hash, scopes: [], expiresAt: null, limit: 10, now: novemberMs }
    return (yield* keys.createKey(keyFields)).id
  })

export const makeRequest = (account: number, overrides: Partial<ReserveRequest> = {}): ReserveRequest => ({
  account,
  actor: { _tag: "Key", key: 1 },
  tool: "get_price",
  credits: 1,
  ttlMs: minuteMs,
  idempotency: null,
  ...overrides
})

export const makeIdempotency = (key: string, overrides: Partial<Idempotency> = {}): Idempotency => ({
  key,
  fingerprint: "one",
  retentionMs: 1_440 * minuteMs,
  ...overrides
})

export const makeSettlement = (reservation: Reservation, response: string | null = null): EndRequest => ({
  reservation,
  outcome: { _tag: "Settle", response }
})

export const makeRelease = (reservation: Reservation): EndRequest => ({ reservation, outcome: { _tag: "Release" } })

/** Returns the result of a store call, or fails if the result is `Busy`. */
export const assertNotBusy = <A extends { readonly _tag: string }>(answer: A | Busy): A => {
  assert(answer._tag !== "Busy", "another transaction locks the month")
  // The cast is needed, because TypeScript cannot exclude `Busy` from a type parameter.
  return answer as A
}

export const reserveOne = (request: ReserveRequest, at = novemberMs) =>
  Effect.gen(function*() {
    const ledger = yield* storeAtNovember
    const [admission] = yield* ledger.reserve([request], at)
    return assertNotBusy(admission!)
  })

export const getReservation = (admission: Admission | Busy): Reservation => {
  assert(admission._tag === "Admitted", `expected an admission, got ${admission._tag}`)
  return admission.reservation
}

/** Returns charge requests with new ids. */
export const makeCharges = (account: number, ...overrides: ReadonlyArray<Partial<ChargeRequest>>) =>
  Effect.map(
    Effect.flatMap(LedgerStore, (store) => store.callIds(overrides.length)),
    (ids) =>
      ids.map((id, i): ChargeRequest => ({
        id,
        account,
        actor: { _tag: "Key", key: 1 },
        tool: "get_price",
        credits: 1,
        idempotency: null,
        response: null,
        isRepeated: false,
        ...overrides[i]
      }))
  )

export const chargeOne = (request: ChargeRequest, at = novemberMs) =>
  Effect.gen(function*() {
    const ledger = yield* storeAtNovember
    const [result] = yield* ledger.charge([request], at)
    return assertNotBusy(result!)
  })

/** Sweeps all reservations that expired by `now`. */
export const expireAll = (now: number) =>
  Effect.gen(function*() {
    const ledger = yield* storeAtNovember
    let expired = 0
    for (;;) {
      const count = yield* ledger.expire(100, now)
      if (count === 0) return expired
      expired += count
    }
  })

export type LedgerTests = Vitest.MethodsNonLive<LedgerStore | KeyStore>
