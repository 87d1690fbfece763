import { Context, type Effect } from "effect"
import type { Actor } from "../access/account.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import type { Month } from "./month.ts"

/** A caller's promise that a repeat is the same request: its key, and a digest of what was asked under it. */
export interface Idempotency {
  readonly key: string
  /** Two requests are the same when their fingerprints are. */
  readonly fingerprint: string
  /** How long a settled answer is replayed, in ms from its reservation on; after that the key is free again. */
  readonly retainMs: number
}

export interface ReserveRequest {
  readonly account: number
  readonly actor: Actor
  /** The operation that will be charged: a tool's name, or `agent.answer`. */
  readonly tool: string
  /** At least 1. */
  readonly credits: number
  /** The reservation lapses so long after it was made, unless it was ended or renewed. At least 1. */
  readonly ttlMs: number
  readonly idempotency: Idempotency | null
  /** At most so many of this operation in a UTC day, those under way included; no such bound when left out. */
  readonly quota?: { readonly max: number } | undefined
}

/** A pending charge. Holds what is needed to end it. Times are epoch ms of the store's clock. */
export interface Reservation {
  readonly entry: number
  readonly account: number
  /** The month that pays. */
  readonly month: Month
  readonly tool: string
  readonly credits: number
  /**
   * The first reservation that was made under the idempotency key for the same request, however often it was made again
   * since; the reservation itself when there was none.
   */
  readonly origin: number
  readonly reservedAt: number
  /** When it lapses, unless it is renewed. */
  readonly expiresAt: number
}

/** What a reservation's request came to. */
export type Admission =
  | {
    readonly _tag: "Admitted"
    readonly reservation: Reservation
    /** Allotted - used - reserved right after this admission; no two admissions of a racing set see the same. */
    readonly creditsLeft: number
  }
  /** Not enough is left until `renewsAt`; nothing was changed. */
  | { readonly _tag: "Refused"; readonly creditsLeft: number; readonly allotted: number; readonly renewsAt: number }
  /** The day has had as many of this operation as the quota lets it, until `renewsAt`; nothing was changed. */
  | { readonly _tag: "QuotaReached"; readonly renewsAt: number }
  /**
   * The same idempotency key was settled before: its stored answer, or an empty text when none was kept (it was settled
   * without one, or with one over `maxAnswerBytes`). Nothing was changed.
   */
  | { readonly _tag: "Replayed"; readonly answer: string }
  /**
   * The same idempotency key is reserved by a call that has not ended, and lapses in `lapsesInMs`. Nothing was changed.
   */
  | { readonly _tag: "InProgress"; readonly lapsesInMs: number }
  /** The same idempotency key stands for another request. Nothing was changed. */
  | { readonly _tag: "Reused" }
  /** There is no such account. */
  | { readonly _tag: "NoAccount" }

/**
 * Somebody holds the account's month, or another row of its books, for longer than a batch waits. Nothing was changed;
 * ask again, by itself. A store that cannot tell whose row it is that is held says so to the whole batch; of a month's
 * row it can.
 */
export interface Busy {
  readonly _tag: "Busy"
}

/** What is known of an idempotency key that is not free. */
export type Recollection = Extract<Admission, { _tag: "Replayed" | "InProgress" | "Reused" }>

export interface EndRequest {
  readonly reservation: Reservation
  /**
   * `settle` charges; its `answer` is what a repeat of the idempotency key gets. `release` charges nothing and counts
   * a failed call.
   */
  readonly outcome: { readonly _tag: "Settle"; readonly answer: string | null } | { readonly _tag: "Release" }
}

/**
 * The most that a store keeps of an answer, in bytes of UTF-8. A longer one is not kept; its call is charged all the
 * same.
 */
export const maxAnswerBytes = 262_144

/** What ending a reservation came to; `creditsLeft` is what its month has left. */
export type Ending =
  | { readonly _tag: "Ended"; readonly creditsLeft: number }
  /**
   * It had ended before, and `how`; nothing was changed. One that has lapsed is `expired`, swept up or not; `unknown`
   * is what was never reserved, or so long ago that it was dropped.
   */
  | {
    readonly _tag: "AlreadyEnded"
    readonly how: "settled" | "released" | "expired" | "unknown"
    readonly creditsLeft: number
  }

/** Calls that ended: how many, those of them that were not charged, and the credits that were charged. */
export interface UsageSums {
  readonly calls: number
  readonly failed: number
  readonly credits: number
}

/** An account's books of one month. `left` is what may still be reserved, never below 0. */
export interface MonthBooks {
  readonly month: Month
  readonly allotted: number
  readonly used: number
  readonly reserved: number
  readonly left: number
  /** When the month ends and credits renew (epoch ms). */
  readonly renewsAt: number
  /** One line per operation that was called, by name. Credits sum to `used`. */
  readonly tools: ReadonlyArray<UsageSums & { readonly name: string }>
}

/**
 * Who called, in a month's usage: a key, by its id and the name that it has now (null when there is no such key of the
 * account); all who signed in, together; all of the account's tasks, together.
 */
export type UsageCaller =
  | { readonly kind: "key"; readonly key: number; readonly name: string | null }
  | { readonly kind: "session" }
  | { readonly kind: "task" }

/**
 * An account's books of one month, and how its usage came about. Days and callers each sum to what the tools sum to.
 * (What a database no longer knew of a month when it began to count days is in `tools` alone.)
 */
export interface MonthUsage extends MonthBooks {
  /** One line per UTC day on which calls were admitted, by its start (epoch ms), ascending. */
  readonly days: ReadonlyArray<UsageSums & { readonly day: number }>
  /** Keys by id, then who signed in, then tasks. */
  readonly callers: ReadonlyArray<UsageSums & { readonly caller: UsageCaller }>
}

/** How a statement of the store is run. */
export interface StatementOptions {
  /**
   * The instant that stands for now (epoch ms), in tests and model runs. Left out, as everywhere else, it is the
   * store's own clock: leases, months and days are the store's, and no node's.
   */
  readonly at?: number | undefined
  /** How long to wait for a month that somebody holds before it is `Busy`; 50 ms by default. */
  readonly waitMs?: number | undefined
}

/**
 * The books of credits. What must hold at every instant, under any concurrency, on any number of nodes:
 *
 * 1. `used + reserved <= cap` for each account and month, where `cap` is the allotment, or what was already used and
 *    reserved when a plan was lowered below it.
 * 2. An admission is one conditional write.
 * 3. A reservation ends once: settled, released or expired.
 * 4. `used` is the sum of the settled reservations, and the sum of the breakdowns by tool, by day and by who called.
 * 5. A reservation that has lapsed is never charged.
 * 6. A reservation belongs to the month, and to the day, in which it was made.
 * 7. A changed plan changes the allotment at once.
 * 8. Of an account's idempotency key, one reservation at most is running or settled within its retention.
 * 9. An end in doubt is asked again: `AlreadyEnded` says how it ended.
 * 10. A quota is judged in the same conditional write as the credits.
 * 11. A row of an account's books that somebody holds delays nobody but its own account.
 * 12. Time is the store's; a node's wrong clock harms nobody.
 *
 * Requests of one batch are judged in order, each by itself: two of one account see each other, and a refused one
 * leaves room for a cheaper one after it. A batch is atomic: it happens whole, or (`StoreUnavailable`) it is unknown
 * whether it happened; what was reserved then lapses.
 *
 * Called within a transaction of the store's own database, `reserve`, `end` and `renew` are part of it: they stand when
 * it commits, and are undone with it. (`Ledger` batches calls outside of any transaction.)
 *
 * Accounts and their plans are `KeyStore`'s: an account that it made is one here, and `changePlan` changes what it
 * tells.
 */
export class LedgerStore extends Context.Service<LedgerStore, {
  /** One admission per request, in order. A month's books open with the allotment of the account's plan. */
  readonly reserve: (
    requests: ReadonlyArray<ReserveRequest>,
    options?: StatementOptions
  ) => Effect.Effect<ReadonlyArray<Admission | Busy>, StoreUnavailable>
  /** One ending per request, in order. Of a reservation that is named twice the first request is judged. */
  readonly end: (
    requests: ReadonlyArray<EndRequest>,
    options?: StatementOptions
  ) => Effect.Effect<ReadonlyArray<Ending | Busy>, StoreUnavailable>
  /** Lets a reservation lapse `ttlMs` from now; false when it has ended or lapsed. Never moves the lapse back. */
  readonly renew: (
    reservation: Reservation,
    ttlMs: number,
    options?: StatementOptions
  ) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Ends, uncharged, at most `limit` reservations that have lapsed, the longest lapsed first, counting each as a failed
   * call; gives how many. Forgets answers whose retention has passed. Passes over what somebody holds. Several
   * nodes may sweep at once; one that finds another at it may leave it the work and give 0.
   */
  readonly expire: (limit: number, options?: StatementOptions) => Effect.Effect<number, StoreUnavailable>
  /**
   * Housekeeping, again and again: makes room for the months to come, finishes what `definePlans` could not lay over a
   * month that somebody held, and drops reservations of months that are older than the last `keepMonths`, as long as
   * nothing of them is reserved and no answer of them is retained. Each is done by itself: what somebody holds is left
   * to the next time, and holds up nothing else. Books and usage stay for ever.
   */
  readonly tend: (keepMonths: number, options?: StatementOptions) => Effect.Effect<void, StoreUnavailable>
  /** The answer stored under an idempotency key, or how it stands; null when it is free. */
  readonly recall: (
    account: number,
    idempotency: Idempotency,
    options?: StatementOptions
  ) => Effect.Effect<Recollection | null, StoreUnavailable>
  /**
   * The books of a month, of the one that runs when it is null; of one in which nothing happened yet, with the plan's
   * allotment.
   */
  readonly books: (
    account: number,
    month: Month | null,
    options?: StatementOptions
  ) => Effect.Effect<MonthBooks | null, StoreUnavailable>
  /** As `books`, with the usage by day and by who called; all of it of one instant. */
  readonly usage: (
    account: number,
    month: Month | null,
    options?: StatementOptions
  ) => Effect.Effect<MonthUsage | null, StoreUnavailable>
  /** Reservations of `agent.answer` of this UTC day that run or are settled, and when the day ends (epoch ms). */
  readonly answersToday: (
    account: number,
    options?: StatementOptions
  ) => Effect.Effect<{ readonly count: number; readonly renewsAt: number }, StoreUnavailable>
  /**
   * Puts an account on another plan and lays its allotment over its open months, from the one that runs on, in one
   * step. False when there is no such account.
   */
  readonly changePlan: (
    account: number,
    plan: string,
    options?: StatementOptions
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** What each plan that was ever defined allots a month, by name. */
  readonly plans: Effect.Effect<Readonly<Record<string, number>>, StoreUnavailable>
  /**
   * Says what each plan allots a month, and lays what changed over the open months, from the one that runs on, account
   * by account; for the start of a process.
   */
  readonly definePlans: (
    monthlyCredits: Readonly<Record<string, number>>,
    options?: StatementOptions
  ) => Effect.Effect<void, StoreUnavailable>
  /** The store's clock (epoch ms). */
  readonly time: Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/credits/LedgerStore") {}
