import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"
import type { AccountCall, AccountCallQuery } from "./accountCall.ts"
import type { Adjustment, AdjustmentPage, AdjustmentRequest } from "./adjustment.ts"
import type { ChargeRequest, ChargeResult, UnreservedCall } from "./charge.ts"
import type { Month } from "./month.ts"
import type { Admission, Idempotency, Reservation, ReserveRequest } from "./reservation.ts"
import type { UsageCaller, UsageReport, UsageReportQuery, UsageTotals } from "./usage.ts"

/**
 * A row of the account's balance stayed locked for longer than `waitMs`, and nothing was changed. The caller should
 * send the request again in a separate batch. If a store cannot identify the locked row, it returns `Busy` for the
 * whole batch. Every store must be able to identify the locked balance row of a month.
 */
export interface Busy {
  readonly _tag: "Busy"
}

/** The state of an idempotency key that is in use. */
export type IdempotencyState = Extract<Admission, { _tag: "Replayed" | "InProgress" | "Reused" }>

export interface EndRequest {
  readonly reservation: Reservation
  /**
   * How the reservation ends. `Settle` charges the credits and stores `response` for a repeated call under the
   * idempotency key. `Release` charges nothing and counts the call as failed.
   */
  readonly outcome: { readonly _tag: "Settle"; readonly response: string | null } | { readonly _tag: "Release" }
}

/** The maximum size of a stored response, in bytes of UTF-8, above which a response is charged, but not stored. */
export const maxResponseBytes = 262_144

/**
 * The result of ending a reservation. `creditsLeft` is the number of credits that remain in the reservation's month:
 * the smaller of the account's and the key's credits.
 */
export type EndResult =
  | { readonly _tag: "Ended"; readonly creditsLeft: number }
  /**
   * The reservation had already ended with `outcome`, and nothing was changed. A lapsed reservation has the outcome
   * `expired`, even if no sweep has expired it yet. A reservation that never existed or was deleted is `unknown`.
   */
  | {
    readonly _tag: "AlreadyEnded"
    readonly outcome: "settled" | "released" | "expired" | "unknown"
    readonly creditsLeft: number
  }

/** An account's credits of one month. */
export interface MonthCredits {
  readonly month: Month
  /** The credits of the account's plan. */
  readonly monthlyCredits: number
  /** The sum of the month's adjustments, which may be negative. */
  readonly adjusted: number
  readonly used: number
  readonly reserved: number
  /** The credits that can still be reserved: `monthlyCredits + adjusted - used - reserved`, but at least 0. */
  readonly left: number
  readonly renewsAt: number
}

/** An account's balance of one month. */
export interface MonthBalance extends MonthCredits {
  /**
   * The usage of each called operation, sorted by name. The credits in `tools` add up to the `used` credits of the
   * month.
   */
  readonly tools: ReadonlyArray<UsageTotals & { readonly name: string }>
}

/**
 * An account's balance of one month, with usage totals. The credits and calls in `days`, in `callers` and in `tools`
 * have equal totals. Usage from before the database counted days is missing in `days` and `callers`.
 */
export interface MonthUsage extends MonthBalance {
  /**
   * The usage of each UTC day on which calls were admitted, oldest first. `day` is the start of the day in epoch ms.
   */
  readonly days: ReadonlyArray<UsageTotals & { readonly day: number }>
  /** The usage of each caller. The callers are sorted, API keys by id first, then sessions, then tasks. */
  readonly callers: ReadonlyArray<UsageTotals & { readonly caller: UsageCaller }>
}

/** The current month's credits of an API key with monthly credits of its own. */
export interface KeyCredits {
  readonly monthlyCredits: number
  readonly used: number
  readonly reserved: number
  /** The credits that the key can still reserve: `monthlyCredits - used - reserved`, but at least 0. */
  readonly left: number
}

/** The result of an adjustment. Only `Adjusted` changes the account balance. */
export type AdjustmentResult =
  /** `balance` contains the new credits of the first adjusted month. */
  | {
    readonly _tag: "Adjusted"
    readonly adjustments: ReadonlyArray<Adjustment>
    readonly balance: MonthCredits
  }
  /** A correction would leave the month with fewer credits than are used and reserved. */
  | { readonly _tag: "BalanceTooLow"; readonly creditsLeft: number }
  /** The amount, the months, or the sum of a month's adjustments is out of range. */
  | { readonly _tag: "OutOfRange" }
  /** The account has no such call, or the ledger no longer keeps the call's reservation. */
  | { readonly _tag: "UnknownCall" }
  /** The call was already refunded by the adjustment with the id `adjustment`. */
  | { readonly _tag: "AlreadyRefunded"; readonly adjustment: number }
  /** The call is running, or ended without a charge. */
  | { readonly _tag: "NotCharged" }
  /** The amount of a refund exceeds the credits that the call was charged. */
  | { readonly _tag: "ExceedsCharge"; readonly charged: number }
  | { readonly _tag: "NoAccount" }

/** The shares of the monthly credits, in percent, at which an account reaches a threshold. */
export const creditThresholds = [80, 100] as const

/** A threshold of monthly credits that an account has reached. */
export interface ReachedThreshold {
  readonly account: number
  readonly month: Month
  readonly threshold: typeof creditThresholds[number]
  readonly used: number
  readonly monthlyCredits: number
}

/** The options of a call to the ledger store. */
export interface StatementOptions {
  /** The current time in epoch ms, for tests. If `at` is omitted, the store uses its own clock. */
  readonly at?: number | undefined
  /** The maximum time in ms to wait for a locked account balance before `Busy` is returned; 50 by default. */
  readonly waitMs?: number | undefined
}

/**
 * Stores the account balances, in credits. These invariants hold at every instant, under any concurrency, on any number
 * of nodes:
 *
 * - `used + reserved <= cap` for each account and month. `cap` is the sum of the plan's monthly credits and the month's
 *   adjustments. If a change lowered this sum below `used + reserved`, `cap` is `used + reserved`.
 * - `adjusted` is the sum of the month's stored adjustments. No other write creates or destroys credits.
 * - A call is refunded at most once, and by at most its charge.
 * - An admission is a single conditional write.
 * - A reservation ends exactly once, as settled, released or expired.
 * - A charge without a reservation is a single conditional write, and is made at most once for each id.
 * - `used` is the sum of the settled reservations. `used` equals the charged credits of all tools, of all days, and of
 *   all callers.
 * - A reservation that has lapsed is never charged.
 * - A reservation belongs to the UTC month and day in which it was made.
 * - A changed plan changes the monthly credits immediately, and keeps the adjustments.
 * - Within the retention, each idempotency key of an account has at most one running or settled reservation.
 * - A failed attempt to end a reservation can be retried. `AlreadyEnded` reports how the reservation ended.
 * - A quota is checked in the same conditional write as the credits.
 * - A locked row of an account's balance delays only requests of the account.
 * - The settled and running reservations of a key and of the other keys of its chain of rotations do not exceed the
 *   monthly credits of the key, unless these were lowered. Reservations of sessions and tasks count towards the limit
 *   of no key. A refund does not lower what a key has used.
 * - The store uses its own clock, so a wrong clock of a node has no effect.
 *
 * The store decides the requests of one batch in order. Each request sees the effect of earlier requests of the same
 * account in the batch. A request can be admitted after a larger request of the same account was rejected. A batch is
 * atomic. After `StoreUnavailable`, the batch may or may not have been written. No caller ends the reservations of such
 * a batch, so they lapse.
 *
 * Within a transaction of the store's own database, `reserve`, `end` and `renew` are part of the transaction. `Ledger`
 * sends its batches outside of any transaction.
 *
 * `KeyStore` and `LedgerStore` share accounts and plans. An account that `KeyStore` creates also exists in
 * `LedgerStore`. `changePlan` also changes the plan that `KeyStore` returns.
 */
export class LedgerStore extends Context.Service<LedgerStore, {
  /** Returns one admission per request, in the order of `requests`. A new month starts with the plan's credits. */
  readonly reserve: (
    requests: ReadonlyArray<ReserveRequest>,
    options?: StatementOptions
  ) => Effect.Effect<ReadonlyArray<Admission | Busy>, StoreUnavailable>
  /**
   * Returns one result per request, in the order of `requests`. If a batch contains two requests to end the same
   * reservation, only the first request applies.
   */
  readonly end: (
    requests: ReadonlyArray<EndRequest>,
    options?: StatementOptions
  ) => Effect.Effect<ReadonlyArray<EndResult | Busy>, StoreUnavailable>
  /** Returns `count` ids of new calls, for `charge` and `recordFailures`. Unused ids have no effect. */
  readonly callIds: (count: number) => Effect.Effect<ReadonlyArray<number>, StoreUnavailable>
  /**
   * Charges calls that ran without a reservation. Returns one result per request, in the order of `requests`. A call
   * belongs to the UTC month and day of its charge. A request whose idempotency key belongs to a settled call returns
   * the response of that call. An idempotency key of a lapsed reservation moves to the charged call, and the
   * reservation can no longer be settled.
   *
   * After `StoreUnavailable`, the caller may repeat the request with the same id and with `isRepeated` until the end of
   * the next month. The store then charges the call only if no earlier request has charged it. An earlier request that
   * reaches the store within an hour after its repetition does not charge the call again.
   */
  readonly charge: (
    requests: ReadonlyArray<ChargeRequest>,
    options?: StatementOptions
  ) => Effect.Effect<ReadonlyArray<ChargeResult | Busy>, StoreUnavailable>
  /**
   * Records failed calls that ran without a reservation, as released calls without a charge. Skips calls of accounts
   * that are locked or do not exist.
   */
  readonly recordFailures: (
    calls: ReadonlyArray<UnreservedCall>,
    options?: StatementOptions
  ) => Effect.Effect<void, StoreUnavailable>
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
   * Expires at most `limit` lapsed reservations without a charge, and returns their number. Reservations are expired in
   * the order in which they lapsed. Each expired reservation counts as a failed call. Deletes responses whose retention
   * has passed. Skips locked rows. Several nodes may sweep concurrently. If another node is already expiring
   * reservations, the method may do nothing and return 0.
   */
  readonly expire: (limit: number, options?: StatementOptions) => Effect.Effect<number, StoreUnavailable>
  /**
   * Runs housekeeping of the ledger's data. The sweeper calls this method at intervals. Prepares the database for
   * reservations of future months. Applies the changes of `definePlans` to balances whose rows were locked when the
   * plans changed. Deletes reservations from before the last `retentionMonths` months. A reservation that is still
   * active, or whose response is retained, is kept. Rows that are locked are left for the next run of the housekeeping.
   */
  readonly runHousekeeping: (
    retentionMonths: number,
    options?: StatementOptions
  ) => Effect.Effect<void, StoreUnavailable>
  /** Returns the state of an idempotency key, or null if the key is free. */
  readonly idempotencyState: (
    account: number,
    idempotency: Idempotency,
    options?: StatementOptions
  ) => Effect.Effect<IdempotencyState | null, StoreUnavailable>
  /**
   * Returns the account balance of a month, or of the current month if `month` is null. For a month without calls, the
   * balance contains the monthly credits of the account's plan.
   */
  readonly balance: (
    account: number,
    month: Month | null,
    options?: StatementOptions
  ) => Effect.Effect<MonthBalance | null, StoreUnavailable>
  /** Returns the account balance of a month and its usage by day and by caller, read consistently. */
  readonly usage: (
    account: number,
    month: Month | null,
    options?: StatementOptions
  ) => Effect.Effect<MonthUsage | null, StoreUnavailable>
  /**
   * Returns lines of a usage report over all accounts, sorted by position. The credits of all lines of a month add up
   * to the month's `used` credits of the accounts. A reader that continues after the last line it received gets each
   * group once, even while calls end.
   */
  readonly usageReport: (
    query: UsageReportQuery,
    options?: StatementOptions
  ) => Effect.Effect<UsageReport, StoreUnavailable>
  /**
   * Returns at most `limit` thresholds that accounts have reached in the current month, and that are not marked. Within
   * the first hour of a month, the result contains the thresholds of the previous month too. An account without monthly
   * credits reaches no threshold.
   */
  readonly reachedThresholds: (
    limit: number,
    options?: StatementOptions
  ) => Effect.Effect<ReadonlyArray<ReachedThreshold>, StoreUnavailable>
  /**
   * Marks thresholds as reached, and returns the thresholds that were not marked before. A threshold stays marked for
   * its month, even if the account gets more credits.
   */
  readonly markThresholds: (
    thresholds: ReadonlyArray<ReachedThreshold>
  ) => Effect.Effect<ReadonlyArray<ReachedThreshold>, StoreUnavailable>
  /**
   * Returns the number of running and settled reservations of `agent.answer` on the current UTC day. `renewsAt` is the
   * end of the day, in epoch ms.
   */
  readonly answersToday: (
    account: number,
    options?: StatementOptions
  ) => Effect.Effect<{ readonly count: number; readonly renewsAt: number }, StoreUnavailable>
  /**
   * Changes the plan of an account atomically. The plan's monthly credits apply to the current month and to later
   * months. Returns false if the account does not exist.
   */
  readonly changePlan: (
    account: number,
    plan: string,
    options?: StatementOptions
  ) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Changes the monthly credits of a key and of all keys of its chain of rotations; null removes the limit. Credits
   * that these keys have already used in the current month count towards the new limit. Returns false if the key does
   * not exist. Within a transaction of the store's own database, `limitKey` is part of the transaction.
   */
  readonly limitKey: (
    key: number,
    monthlyCredits: number | null,
    options?: StatementOptions
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** Returns the credits of each key in the current month, or null for a key without monthly credits of its own. */
  readonly keyCredits: (
    keys: ReadonlyArray<number>,
    options?: StatementOptions
  ) => Effect.Effect<ReadonlyArray<KeyCredits | null>, StoreUnavailable>
  /** Returns the monthly credits of every plan that was ever defined, by plan name. */
  readonly plans: Effect.Effect<Readonly<Record<string, number>>, StoreUnavailable>
  /**
   * Defines the monthly credits of each plan. Changed credits apply to the current and later months, one account at a
   * time. Every process calls `definePlans` at startup.
   */
  readonly definePlans: (
    monthlyCredits: Readonly<Record<string, number>>,
    options?: StatementOptions
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Adjusts the credits of an account atomically. A future month without calls gets the credits of the account's plan.
   * If another transaction locks a row of the account, `adjust` waits briefly, and then fails with `StoreUnavailable`.
   * Within a transaction of the store's own database, `adjust` is part of the transaction.
   */
  readonly adjust: (
    request: AdjustmentRequest,
    options?: StatementOptions
  ) => Effect.Effect<AdjustmentResult, StoreUnavailable>
  /** Returns a page of the account's adjustments of one month, or of all months if `month` is null. */
  readonly adjustments: (
    account: number,
    page: AdjustmentPage,
    month: Month | null
  ) => Effect.Effect<ReadonlyArray<Adjustment>, StoreUnavailable>
  /** Returns calls of an account in a month, largest id first. Calls of deleted reservations are missing. */
  readonly calls: (
    query: AccountCallQuery,
    options?: StatementOptions
  ) => Effect.Effect<ReadonlyArray<AccountCall>, StoreUnavailable>
  /** The time of the store's clock, in epoch ms. */
  readonly time: Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/credits/LedgerStore") {}
