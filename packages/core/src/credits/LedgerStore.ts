import { Context, type Effect } from "effect"
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
  readonly key: number
  /** The operation that will be charged: a tool's name, or `agent.answer`. */
  readonly tool: string
  /** At least 1. */
  readonly credits: number
  /** The instant of the request (epoch ms); its month is the month that pays. */
  readonly now: number
  /** When the reservation lapses unless it was ended or renewed (epoch ms). */
  readonly expiresAt: number
  readonly idempotency: Idempotency | null
}

/** A pending charge. Holds what is needed to end it. */
export interface Reservation {
  readonly entry: number
  readonly account: number
  readonly month: Month
  readonly tool: string
  readonly credits: number
}

/** What a reservation's request came to. */
export type Admission =
  | {
    readonly _tag: "Admitted"
    readonly reservation: Reservation
    /** Allotted - used - reserved right after this admission; no two admissions of a racing set see the same. */
    readonly creditsLeft: number
  }
  /** Not enough is left; nothing was changed. */
  | { readonly _tag: "Refused"; readonly creditsLeft: number; readonly allotted: number }
  /**
   * The same idempotency key was settled before: its stored answer, or an empty text when none was kept (it was settled
   * without one, or with one over `maxAnswerBytes`). Nothing was changed.
   */
  | { readonly _tag: "Replayed"; readonly answer: string }
  /** The same idempotency key is reserved by a call that has not ended (it lapses at `expiresAt`). Nothing was changed. */
  | { readonly _tag: "InProgress"; readonly expiresAt: number }
  /** The same idempotency key stands for another request. Nothing was changed. */
  | { readonly _tag: "Reused" }
  /** There is no such account. */
  | { readonly _tag: "NoAccount" }

export interface EndRequest {
  readonly reservation: Reservation
  readonly now: number
  /**
   * `settle` charges; its `answer` is what a repeat of the idempotency key gets. `release` charges nothing and counts
   * a failed call.
   */
  readonly outcome: { readonly _tag: "Settle"; readonly answer: string | null } | { readonly _tag: "Release" }
}

/** The most that a store keeps of an answer, in bytes of UTF-8. A longer one is not kept; its call is charged all the same. */
export const maxAnswerBytes = 262_144

/** What ending a reservation came to. */
export type Ending =
  | { readonly _tag: "Ended"; readonly creditsLeft: number }
  /** It had ended before, or had lapsed by `now`; nothing was changed (a lapsed one is left to `expire`). */
  | { readonly _tag: "AlreadyEnded"; readonly creditsLeft: number }

/** An account's books of one month. `left` is what may still be reserved, never below 0. */
export interface MonthBooks {
  readonly month: Month
  readonly allotted: number
  readonly used: number
  readonly reserved: number
  readonly left: number
  /** One line per operation that was called: ended calls, those of them that were not charged, and credits charged. Credits sum to `used`. */
  readonly tools: ReadonlyArray<
    { readonly name: string; readonly calls: number; readonly failed: number; readonly credits: number }
  >
}

/**
 * The books of credits. What must hold at every instant, under any concurrency, on any number of nodes:
 *
 * 1. `used + reserved <= cap` for each account and month, where `cap` is the allotment, or what was already used and
 *    reserved when a plan was lowered below it.
 * 2. An admission is one conditional write.
 * 3. A reservation ends once: settled, released or expired.
 * 4. `used` is the sum of the settled entries, and the sum of the breakdown by tool.
 * 5. A reservation that has lapsed is never charged.
 * 6. A reservation belongs to the month in which it was made.
 * 7. A changed plan changes the allotment at once.
 * 8. Of an account's idempotency key, one entry at most is reserved or settled within its retention.
 *
 * Requests of one batch are judged in order, each by itself: two of one account see each other, and a refused one
 * leaves room for a cheaper one after it. A batch is atomic: it happens whole, or (`StoreUnavailable`) it is unknown
 * whether it happened; what was reserved then lapses. Times are epoch ms of the calling node's clock.
 */
export class LedgerStore extends Context.Service<LedgerStore, {
  /** One admission per request, in order. A month's books open with the allotment of the account's plan. */
  readonly reserve: (
    requests: ReadonlyArray<ReserveRequest>
  ) => Effect.Effect<ReadonlyArray<Admission>, StoreUnavailable>
  /** One ending per request, in order. Of a reservation that is named twice the first request is judged. */
  readonly end: (requests: ReadonlyArray<EndRequest>) => Effect.Effect<ReadonlyArray<Ending>, StoreUnavailable>
  /** Moves the instant at which a reservation lapses; false when it has ended or lapsed by `now`. Never moves it back. */
  readonly renew: (
    reservation: Reservation,
    now: number,
    expiresAt: number
  ) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Ends, uncharged, at most `limit` reservations that lapsed by `now`, the longest lapsed first, counting each as a
   * failed call; gives how many. Forgets answers whose retention has passed. Several nodes may sweep at once; one that
   * finds another at it may leave it the work and give 0.
   */
  readonly expire: (now: number, limit: number) => Effect.Effect<number, StoreUnavailable>
  /** The answer stored under an idempotency key, or how it stands; null when it is free. */
  readonly recall: (
    account: number,
    idempotency: Idempotency,
    now: number
  ) => Effect.Effect<Extract<Admission, { _tag: "Replayed" | "InProgress" | "Reused" }> | null, StoreUnavailable>
  /** The books of a month; of one in which nothing happened yet, with the plan's allotment. */
  readonly books: (account: number, month: Month) => Effect.Effect<MonthBooks | null, StoreUnavailable>
  /** How many entries of `agent.answer` made at or after `since` are reserved or settled: what a day's quota of answers counts. */
  readonly answersSince: (account: number, since: number) => Effect.Effect<number, StoreUnavailable>
  /** Puts an account on another plan and lays its allotment over the books of `month`, in one step. False when there is no such account. */
  readonly changePlan: (account: number, plan: string, month: Month) => Effect.Effect<boolean, StoreUnavailable>
  /** Says what each plan allots a month, and lays it over the books of `month`; for the start of a process. */
  readonly definePlans: (
    monthlyCredits: Readonly<Record<string, number>>,
    month: Month
  ) => Effect.Effect<void, StoreUnavailable>
}>()("@tapeline/core/credits/LedgerStore") {}
