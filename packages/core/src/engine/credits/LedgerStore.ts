import { Context, type Effect } from "effect"
import type { Actor } from "../access/account.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type { Month } from "./month.ts"

/** An idempotency key, and a digest of the request that was made under it. */
export interface Idempotency {
  readonly key: string
  /** Two requests with the same fingerprint are the same request. */
  readonly fingerprint: string
  /**
   * The time for which a settled response is replayed, in ms after its reservation. After that, the key is free again.
   */
  readonly retentionMs: number
}

export interface ReserveRequest {
  readonly account: number
  readonly actor: Actor
  /** The charged operation: a tool's name, or `agent.answer`. */
  readonly tool: string
  /** At least 1. */
  readonly credits: number
  /** The reservation lapses after this time unless it is ended or renewed, in ms. At least 1. */
  readonly ttlMs: number
  readonly idempotency: Idempotency | null
  /** The maximum number of reservations of this operation per UTC day, including running ones. No limit if omitted. */
  readonly quota?: { readonly max: number } | undefined
}

/** A pending charge, with the data that is needed to end it. Times are epoch ms of the store's clock. */
export interface Reservation {
  readonly entry: number
  readonly account: number
  /** The month whose credits are charged. */
  readonly month: Month
  readonly tool: string
  readonly credits: number
  /**
   * The first reservation for the same request under the same idempotency key. Without an earlier reservation, this
   * reservation itself.
   */
  readonly origin: number
  readonly reservedAt: number
  /** When the reservation lapses unless it is renewed. */
  readonly expiresAt: number
}

/** The decision on a request for a reservation. */
export type Admission =
  | {
    readonly _tag: "Admitted"
    readonly reservation: Reservation
    /**
     * Monthly credits minus used and reserved credits right after this admission. Concurrent admissions never return
     * the same number.
     */
    readonly creditsLeft: number
  }
  /** The remaining credits do not cover the request until `renewsAt`. Nothing was changed. */
  | {
    readonly _tag: "Refused"
    readonly creditsLeft: number
    readonly monthlyCredits: number
    readonly renewsAt: number
  }
  /** The day's quota of this operation is used until `renewsAt`. Nothing was changed. */
  | { readonly _tag: "QuotaReached"; readonly renewsAt: number }
  /**
   * The idempotency key was settled before. `response` is the stored response. The text is empty if no response was
   * stored: the settlement had none, or one over `maxResponseBytes`. Nothing was changed.
   */
  | { readonly _tag: "Replayed"; readonly response: string }
  /**
   * A running call has reserved under the same idempotency key. Its reservation lapses in `lapsesInMs`. Nothing was
   * changed.
   */
  | { readonly _tag: "InProgress"; readonly lapsesInMs: number }
  /** The idempotency key belongs to another request. Nothing was changed. */
  | { readonly _tag: "Reused" }
  /** The account does not exist. */
  | { readonly _tag: "NoAccount" }

/**
 * The account's month, or another row of its balance, stayed locked for longer than a batch waits. Nothing was changed.
 * Retry the request separately. A store that cannot determine which row is locked returns `Busy` for the whole batch.
 * For the row of a month, every store can determine it.
 */
export interface Busy {
  readonly _tag: "Busy"
}

/** The state of an idempotency key that is not free. */
export type IdempotencyState = Extract<Admission, { _tag: "Replayed" | "InProgress" | "Reused" }>

export interface EndRequest {
  readonly reservation: Reservation
  /**
   * `Settle` charges; a repeat of the idempotency key receives `response`. `Release` charges nothing and counts a
   * failed call.
   */
  readonly outcome: { readonly _tag: "Settle"; readonly response: string | null } | { readonly _tag: "Release" }
}

/**
 * The maximum size of a stored response, in bytes of UTF-8. A longer response is not stored, but its call is charged.
 */
export const maxResponseBytes = 262_144

/** The result of ending a reservation. `creditsLeft` is the rest of its month's credits. */
export type EndResult =
  | { readonly _tag: "Ended"; readonly creditsLeft: number }
  /**
   * The reservation had already ended, in the way `how`. Nothing was changed. A lapsed reservation is `expired`,
   * whether or not it was swept. A reservation that never existed or was deleted is `unknown`.
   */
  | {
    readonly _tag: "AlreadyEnded"
    readonly outcome: "settled" | "released" | "expired" | "unknown"
    readonly creditsLeft: number
  }

/** Totals of ended calls: all calls, failed calls (which were not charged), and the charged credits. */
export interface UsageTotals {
  readonly calls: number
  readonly failed: number
  readonly credits: number
}

/** An account's balance of one month. `left` is the amount that can still be reserved, never below 0. */
export interface MonthBalance {
  readonly month: Month
  readonly monthlyCredits: number
  readonly used: number
  readonly reserved: number
  readonly left: number
  /** When the month ends and the credits renew (epoch ms). */
  readonly renewsAt: number
  /** One row per operation that was called, by name. Credits sum to `used`. */
  readonly tools: ReadonlyArray<UsageTotals & { readonly name: string }>
}

/**
 * The callers in a month's usage: a key, all sessions together, or all tasks together. A key has its id and current
 * name; the name is null if the account no longer has the key.
 */
export type UsageCaller =
  | { readonly kind: "key"; readonly key: number; readonly name: string | null }
  | { readonly kind: "session" }
  | { readonly kind: "task" }

/**
 * An account's balance of one month, and its usage. The rows of days and of callers each sum to the totals of the
 * tools. (Older usage, from before a database counted days, is only in `tools`.)
 */
export interface MonthUsage extends MonthBalance {
  /** One row per UTC day on which calls were admitted, by its start (epoch ms), ascending. */
  readonly days: ReadonlyArray<UsageTotals & { readonly day: number }>
  /** Keys by id, then sessions, then tasks. */
  readonly callers: ReadonlyArray<UsageTotals & { readonly caller: UsageCaller }>
}

/** The options of a store statement. */
export interface StatementOptions {
  /**
   * The current time (epoch ms), in tests and model runs. Otherwise omitted: then the store's own clock determines
   * leases, months and days, and no node's clock does.
   */
  readonly at?: number | undefined
  /** The maximum wait for a locked month before the result is `Busy`, in ms; 50 by default. */
  readonly waitMs?: number | undefined
}

/**
 * Stores the account balances, in credits. These invariants hold at every instant, under any concurrency, on any number
 * of nodes:
 *
 * 1. `used + reserved <= cap` for each account and month. `cap` is the monthly credits. If a plan was lowered below
 *    `used + reserved`, `cap` is that sum.
 * 2. An admission is one conditional write.
 * 3. A reservation ends once: settled, released or expired.
 * 4. `used` is the sum of the settled reservations, and the sum of the breakdowns by tool, by day and by caller.
 * 5. A reservation that has lapsed is never charged.
 * 6. A reservation belongs to the month, and to the day, in which it was made.
 * 7. A changed plan changes the monthly credits immediately.
 * 8. For each idempotency key of an account, at most one reservation is running or settled within its retention.
 * 9. An end in doubt is retried: `AlreadyEnded` reports how it ended.
 * 10. A quota is checked in the same conditional write as the credits.
 * 11. A locked row of an account's balance delays only its own account.
 * 12. The store's clock is used; a node's wrong clock has no effect.
 *
 * Requests of one batch are decided in order, each separately. Two requests of one account see each other, and after a
 * rejected request a cheaper request may still fit. A batch is atomic. After `StoreUnavailable`, it is unknown whether
 * the batch was written; its reservations then lapse.
 *
 * Within a transaction of the store's own database, `reserve`, `end` and `renew` take part in the transaction. They
 * commit and roll back with it. (`Ledger` batches calls outside of any transaction.)
 *
 * Accounts and their plans are shared with `KeyStore`: an account created there exists here, and `changePlan` changes
 * the plan that `KeyStore` returns.
 */
export class LedgerStore extends Context.Service<LedgerStore, {
  /** Returns one admission per request, in order. A new month starts with the monthly credits of the account's plan. */
  readonly reserve: (
    requests: ReadonlyArray<ReserveRequest>,
    options?: StatementOptions
  ) => Effect.Effect<ReadonlyArray<Admission | Busy>, StoreUnavailable>
  /** Returns one ending per request, in order. If a reservation occurs twice, the first request counts. */
  readonly end: (
    requests: ReadonlyArray<EndRequest>,
    options?: StatementOptions
  ) => Effect.Effect<ReadonlyArray<EndResult | Busy>, StoreUnavailable>
  /**
   * Extends the lease of a reservation to `ttlMs` from now, and never shortens it. Returns false if the reservation has
   * ended or lapsed.
   */
  readonly renew: (
    reservation: Reservation,
    ttlMs: number,
    options?: StatementOptions
  ) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Expires at most `limit` lapsed reservations without a charge, the longest lapsed first. Counts each as a failed
   * call, and returns the number. Deletes responses whose retention has passed. Skips locked rows. Several nodes may
   * sweep concurrently; a node that finds another sweep running may return 0.
   */
  readonly expire: (limit: number, options?: StatementOptions) => Effect.Effect<number, StoreUnavailable>
  /**
   * Runs housekeeping, at intervals. Creates room for future months. Completes the changes of `definePlans` for months
   * that were locked. Deletes reservations of months before the last `retentionMonths`, unless some are still active or
   * a response is retained. Each step runs separately: locked rows are left to the next run and do not delay the other
   * steps. Account balances and usage are kept permanently.
   */
  readonly runHousekeeping: (
    retentionMonths: number,
    options?: StatementOptions
  ) => Effect.Effect<void, StoreUnavailable>
  /** Returns the response stored under an idempotency key, or the key's state. Null if the key is free. */
  readonly idempotencyState: (
    account: number,
    idempotency: Idempotency,
    options?: StatementOptions
  ) => Effect.Effect<IdempotencyState | null, StoreUnavailable>
  /**
   * Returns the account balance of a month, or of the current month if null. A month without calls has the plan's
   * monthly credits.
   */
  readonly balance: (
    account: number,
    month: Month | null,
    options?: StatementOptions
  ) => Effect.Effect<MonthBalance | null, StoreUnavailable>
  /** Like `balance`, with the usage by day and by caller, as one consistent snapshot. */
  readonly usage: (
    account: number,
    month: Month | null,
    options?: StatementOptions
  ) => Effect.Effect<MonthUsage | null, StoreUnavailable>
  /**
   * Returns the number of running or settled reservations of `agent.answer` of this UTC day, and when the day ends
   * (epoch ms).
   */
  readonly answersToday: (
    account: number,
    options?: StatementOptions
  ) => Effect.Effect<{ readonly count: number; readonly renewsAt: number }, StoreUnavailable>
  /**
   * Changes the plan of an account, and applies its monthly credits to the current and later open months, atomically.
   * Returns false if the account does not exist.
   */
  readonly changePlan: (
    account: number,
    plan: string,
    options?: StatementOptions
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** The monthly credits of each plan that was ever defined, by name. */
  readonly plans: Effect.Effect<Readonly<Record<string, number>>, StoreUnavailable>
  /**
   * Defines the monthly credits of each plan, and applies changes to the current and later open months, account by
   * account. Called when a process starts.
   */
  readonly definePlans: (
    monthlyCredits: Readonly<Record<string, number>>,
    options?: StatementOptions
  ) => Effect.Effect<void, StoreUnavailable>
  /** The time of the store's clock (epoch ms). */
  readonly time: Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/credits/LedgerStore") {}
