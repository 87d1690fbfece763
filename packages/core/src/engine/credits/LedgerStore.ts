import { Context, type Effect } from "effect"
import type { Actor } from "../access/account.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type { Month } from "./month.ts"

/** An idempotency key, and a digest of the request that was made under the key. */
export interface Idempotency {
  readonly key: string
  /** A digest of the request, equal for repetitions of one request. */
  readonly fingerprint: string
  /** The time in ms after the reservation for which a settled response is stored and the key is not free. */
  readonly retentionMs: number
}

export interface ReserveRequest {
  readonly account: number
  readonly actor: Actor
  /** The charged operation: a tool's name, or `agent.answer`. */
  readonly tool: string
  /** The number of credits to reserve, at least 1. */
  readonly credits: number
  /** The time in ms, at least 1, after which the reservation lapses unless the reservation is ended or renewed. */
  readonly ttlMs: number
  readonly idempotency: Idempotency | null
  /** The maximum number of running and settled reservations of an operation per UTC day; unlimited if omitted. */
  readonly quota?: { readonly max: number } | undefined
}

/** A pending charge, with the data that is needed to end the reservation, by the store's clock. */
export interface Reservation {
  readonly entry: number
  readonly account: number
  readonly month: Month
  readonly tool: string
  readonly credits: number
  /** The entry of the first reservation for an equal request under the idempotency key, or else of the reservation. */
  readonly origin: number
  readonly reservedAt: number
  readonly expiresAt: number
}

/** The decision on a request for a reservation, of which only `Admitted` changes the account balance. */
export type Admission =
  | {
    readonly _tag: "Admitted"
    readonly reservation: Reservation
    /** The remaining monthly credits right after the admission, different for concurrent admissions. */
    readonly creditsLeft: number
  }
  /** The remaining credits do not cover the request until `renewsAt`. */
  | {
    readonly _tag: "Refused"
    readonly creditsLeft: number
    readonly monthlyCredits: number
    readonly renewsAt: number
  }
  /** The day's quota of the operation is used until `renewsAt`. */
  | { readonly _tag: "QuotaReached"; readonly renewsAt: number }
  /**
   * The idempotency key was settled before. `response` is the stored response, or empty if the settlement had no
   * response, or a response over `maxResponseBytes`.
   */
  | { readonly _tag: "Replayed"; readonly response: string }
  /** A running call has a reservation under an equal idempotency key, which lapses in `lapsesInMs`. */
  | { readonly _tag: "InProgress"; readonly lapsesInMs: number }
  /** The idempotency key belongs to another request. */
  | { readonly _tag: "Reused" }
  | { readonly _tag: "NoAccount" }

/**
 * A row of the account's balance stayed locked for longer than a batch waits, and nothing was changed. Retry the
 * request in a separate batch. A store that cannot determine which row is locked returns `Busy` for the whole batch;
 * every store can determine which month row is locked.
 */
export interface Busy {
  readonly _tag: "Busy"
}

/** The state of an idempotency key that is not free. */
export type IdempotencyState = Extract<Admission, { _tag: "Replayed" | "InProgress" | "Reused" }>

export interface EndRequest {
  readonly reservation: Reservation
  /**
   * The ending of the reservation. `Settle` charges the credits and stores `response` for a repeated call under the
   * idempotency key. `Release` charges nothing and counts a failed call.
   */
  readonly outcome: { readonly _tag: "Settle"; readonly response: string | null } | { readonly _tag: "Release" }
}

/** The maximum size of a stored response, in bytes of UTF-8, above which a response is charged, but not stored. */
export const maxResponseBytes = 262_144

/** The result of ending a reservation, with the remaining credits in the reservation's month. */
export type EndResult =
  | { readonly _tag: "Ended"; readonly creditsLeft: number }
  /**
   * The reservation had already ended with `outcome`, and nothing was changed. A lapsed reservation is `expired`, even
   * before a sweep. A reservation that never existed or was deleted is `unknown`.
   */
  | {
    readonly _tag: "AlreadyEnded"
    readonly outcome: "settled" | "released" | "expired" | "unknown"
    readonly creditsLeft: number
  }

/** The totals of ended calls: all calls, failed calls (which were not charged), and the charged credits. */
export interface UsageTotals {
  readonly calls: number
  readonly failed: number
  readonly credits: number
}

/** An account's balance of one month, with the credits `left` that can still be reserved, never below 0. */
export interface MonthBalance {
  readonly month: Month
  readonly monthlyCredits: number
  readonly used: number
  readonly reserved: number
  readonly left: number
  readonly renewsAt: number
  /** The usage of each called operation, sorted by name, with credits that add up to `used`. */
  readonly tools: ReadonlyArray<UsageTotals & { readonly name: string }>
}

/**
 * A caller in a month's usage: an API key, all sessions together, or all tasks together. `name` is null if the account
 * no longer has the key.
 */
export type UsageCaller =
  | { readonly kind: "key"; readonly key: number; readonly name: string | null }
  | { readonly kind: "session" }
  | { readonly kind: "task" }

/**
 * An account's balance of one month, with usage by day and by caller. The totals by day, by caller and by tool are
 * equal. Usage from before a database counted days is only in `tools`.
 */
export interface MonthUsage extends MonthBalance {
  /** The usage of each UTC day on which calls were admitted, ascending by `day`, the start of the day in epoch ms. */
  readonly days: ReadonlyArray<UsageTotals & { readonly day: number }>
  /** The usage of each caller: API keys by id, then sessions, then tasks. */
  readonly callers: ReadonlyArray<UsageTotals & { readonly caller: UsageCaller }>
}

/** The options of a store statement. */
export interface StatementOptions {
  /** The current time in epoch ms, for tests and model runs; the time of the store's own clock if omitted. */
  readonly at?: number | undefined
  /** The maximum wait for a locked month before the result is `Busy`, in ms; 50 by default. */
  readonly waitMs?: number | undefined
}

/**
 * Stores the account balances, in credits. These invariants hold at every instant, under any concurrency, on any number
 * of nodes:
 *
 * 1. `used + reserved <= cap` for each account and month. `cap` is the number of monthly credits, or `used + reserved`
 * if a plan was lowered below the sum.
 * 2. An admission is one conditional write.
 * 3. A reservation ends once: settled, released or expired.
 * 4. `used` is the sum of the settled reservations, and the sum of the breakdowns by tool, by day and by caller.
 * 5. A reservation that has lapsed is never charged.
 * 6. A reservation belongs to the month, and to the day, in which it was made.
 * 7. A changed plan changes the monthly credits immediately.
 * 8. For each idempotency key of an account, at most one reservation is running or settled within its retention.
 * 9. An ending in doubt can be retried: `AlreadyEnded` reports how the reservation ended.
 * 10. A quota is checked in the same conditional write as the credits.
 * 11. A locked row of an account's balance delays only requests of the account.
 * 12. The store uses its own clock; a node's wrong clock has no effect.
 *
 * The store decides the requests of one batch in order. A request sees the effect of earlier requests of its account.
 * After a rejected request, a cheaper request may still fit. A batch is atomic. After `StoreUnavailable`, it is unknown
 * whether the batch was written; reservations of the batch then lapse.
 *
 * Within a transaction of the store's own database, `reserve`, `end` and `renew` commit and roll back with the
 * transaction. `Ledger` sends its batches outside of any transaction.
 *
 * Accounts and their plans are shared with `KeyStore`: an account that `KeyStore` creates also exists in `LedgerStore`,
 * and `changePlan` changes the plan that `KeyStore` returns.
 */
export class LedgerStore extends Context.Service<LedgerStore, {
  /** Returns one admission per request, in the order of `requests`; a new month starts with the plan's credits. */
  readonly reserve: (
    requests: ReadonlyArray<ReserveRequest>,
    options?: StatementOptions
  ) => Effect.Effect<ReadonlyArray<Admission | Busy>, StoreUnavailable>
  /** Returns one ending per request, in the order of `requests`, of which the first ending of a reservation applies. */
  readonly end: (
    requests: ReadonlyArray<EndRequest>,
    options?: StatementOptions
  ) => Effect.Effect<ReadonlyArray<EndResult | Busy>, StoreUnavailable>
  /**
   * Extends the lease of a reservation to `ttlMs` ms from now, and never shortens the lease. Returns false if the
   * reservation has ended or lapsed.
   */
  readonly renew: (
    reservation: Reservation,
    ttlMs: number,
    options?: StatementOptions
  ) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Expires at most `limit` lapsed reservations without a charge, the longest lapsed first, counts each as a failed
   * call, and returns their number. Deletes responses whose retention has passed. Skips locked rows. Several nodes may
   * sweep concurrently; a node that finds another sweep running may return 0.
   */
  readonly expire: (limit: number, options?: StatementOptions) => Effect.Effect<number, StoreUnavailable>
  /**
   * Runs housekeeping; the sweeper calls this method at intervals. Prepares the storage of future months. Completes the
   * changes of `definePlans` for months that were locked. Deletes reservations of months before the last
   * `retentionMonths`, unless a reservation is still active or a response is retained. Locked rows are left to the next
   * run and delay no other step.
   */
  readonly runHousekeeping: (
    retentionMonths: number,
    options?: StatementOptions
  ) => Effect.Effect<void, StoreUnavailable>
  /** Returns the state of an idempotency key, with the stored response if settled, or null if the key is free. */
  readonly idempotencyState: (
    account: number,
    idempotency: Idempotency,
    options?: StatementOptions
  ) => Effect.Effect<IdempotencyState | null, StoreUnavailable>
  /**
   * Returns the account balance of a month, or of the current month if `month` is null. A month without calls has the
   * monthly credits of the account's plan.
   */
  readonly balance: (
    account: number,
    month: Month | null,
    options?: StatementOptions
  ) => Effect.Effect<MonthBalance | null, StoreUnavailable>
  /** Returns the account balance of a month with the usage by day and by caller, as one consistent snapshot. */
  readonly usage: (
    account: number,
    month: Month | null,
    options?: StatementOptions
  ) => Effect.Effect<MonthUsage | null, StoreUnavailable>
  /**
   * Returns the number of running and settled reservations of `agent.answer` on the current UTC day. `renewsAt` is the
   * end of the day, in epoch ms.
   */
  readonly answersToday: (
    account: number,
    options?: StatementOptions
  ) => Effect.Effect<{ readonly count: number; readonly renewsAt: number }, StoreUnavailable>
  /**
   * Changes the plan of an account, and applies the plan's monthly credits to the current and later open months,
   * atomically. Returns false if the account does not exist.
   */
  readonly changePlan: (
    account: number,
    plan: string,
    options?: StatementOptions
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** The monthly credits of each plan that was ever defined, by plan name. */
  readonly plans: Effect.Effect<Readonly<Record<string, number>>, StoreUnavailable>
  /**
   * Defines the monthly credits of each plan, and applies changes to the current and later open months, account by
   * account. Every process calls this method at startup.
   */
  readonly definePlans: (
    monthlyCredits: Readonly<Record<string, number>>,
    options?: StatementOptions
  ) => Effect.Effect<void, StoreUnavailable>
  /** The time of the store's clock, in epoch ms. */
  readonly time: Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/credits/LedgerStore") {}
