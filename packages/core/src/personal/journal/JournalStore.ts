import { Context, Effect } from "effect"
import type { Actor } from "../../engine/access/account.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import type { JournalChange } from "./change.ts"
import { type JournalRefusal, NoJournalStore } from "./errors.ts"
import type { JournalNote, Position, RiskProfile, Trade, Written } from "./records.ts"

/** How long a call's write is remembered, ms: longer than any call is made again. */
export const writesKeptMs = 30 * 86_400_000

/** Notes that a history tells of at most. */
export const historyNotesAtMost = 100

/** What an account has open, watches and risks. */
export interface Holdings {
  /** Oldest first. */
  readonly positions: ReadonlyArray<Position>
  readonly profile: RiskProfile
  /** In the order in which they were added. */
  readonly watchlist: ReadonlyArray<string>
}

export interface TradeHistory {
  /** Newest first, at most as many as were asked for. */
  readonly trades: ReadonlyArray<Trade>
  /** How many there are in all. */
  readonly total: number
  /** The newest of those on these trades, and of those on no trade from the same time; newest first. */
  readonly notes: ReadonlyArray<JournalNote>
}

type Failure = StoreUnavailable | NoJournalStore

/**
 * Keeps accounts' journals: open positions, the trades that they were closed by, notes, a risk profile, a watchlist.
 *
 * - A journal belongs to an account. What is another account's is for each method what never was.
 * - `write` does what `decide` says, at once and whole: the records of a change are all there for good when it
 *   succeeds, and none of them is when it fails. Changes of one account happen one after the other, each judged by what
 *   the one before it left; those of two accounts do not wait for each other.
 * - A call writes once. Where its account and `callId` have written within `writesKeptMs`, nothing changes, whatever
 *   was asked, and the answer is what the first write gave, also when what it wrote is gone by now. So is it when one
 *   call is made twice at once, and when the answer to the first was lost. A change that was refused wrote nothing: its
 *   call is judged anew.
 * - `write` fails with `ActorEnded` if `by` is a session that is over, or a key that is over or lacks `write:personal`.
 *   The session or key cannot end between this check and the change.
 * - Amounts, prices and parts are kept to the last digit.
 * - Ids are above 0, no two records of any accounts have the same, and a later one is larger for one account.
 * - Time is the store's: of what was written, of `withinMs` (up to its present), and of how long a write is remembered.
 * - Each answer of `holdings` and of `history` is of one moment.
 *
 * Left alone an engine has none, and every method fails with `NoJournalStore`.
 */
export const JournalStore = Context.Reference<{
  /** `callId` is `CallContext.callId`: at most 200 characters of ASCII. */
  readonly write: (
    account: number,
    callId: string,
    change: JournalChange,
    by?: Actor
  ) => Effect.Effect<Written, JournalRefusal | Failure>
  readonly holdings: (account: number) => Effect.Effect<Holdings, Failure>
  /** Trades closed within the last `withinMs`, of one coin or of all. */
  readonly history: (
    account: number,
    query: { readonly withinMs: number; readonly coin: string | null; readonly limit: number }
  ) => Effect.Effect<TradeHistory, Failure>
  /**
   * Every trade of the positions of which nothing is left since some time within the last `withinMs`: also their
   * earlier parts. By when they were closed, then by id.
   */
  readonly closed: (account: number, withinMs: number) => Effect.Effect<ReadonlyArray<Trade>, Failure>
}>("@tapeline/core/journal/JournalStore", {
  defaultValue: () => {
    const none = () => Effect.fail(new NoJournalStore())
    return { write: none, holdings: none, history: none, closed: none }
  }
})
