import { Context, Effect } from "effect"
import type { Actor } from "../../engine/access/account.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { type JournalChangeError, NoJournalStore } from "./errors.ts"
import type { JournalChange } from "./journalChange.ts"
import type { JournalChangeResult, JournalNote, Position, RiskProfile, Trade } from "./records.ts"

/**
 * The time for which the store remembers the result of a write, in ms. A caller must not repeat a write after
 * `writeRetentionMs`.
 */
export const writeRetentionMs = 30 * 86_400_000

/** The maximum number of notes in a trade history. */
export const maxHistoryNotes = 100

/** The open positions, risk profile and watchlist of an account. */
export interface Holdings {
  readonly positions: ReadonlyArray<Position>
  readonly profile: RiskProfile
  readonly watchlist: ReadonlyArray<string>
}

export interface TradeHistory {
  readonly trades: ReadonlyArray<Trade>
  readonly total: number
  /** The newest notes on the returned trades, and the newest notes of the same period without a trade. */
  readonly notes: ReadonlyArray<JournalNote>
}

type Failure = StoreUnavailable | NoJournalStore

/**
 * Stores the journals of accounts: open positions, trades, notes, a risk profile and a watchlist. Without an adapter,
 * every method fails with `NoJournalStore`.
 *
 * - Each method treats another account's records as records that do not exist.
 * - `write` applies the decision of `decideJournalChange` atomically. Changes of one account are applied one after
 *   another.
 * - A call writes once: a repeated call of the account with an equal `callId` within `writeRetentionMs` returns the
 *   first result, even if the arguments differ or the record was deleted.
 * - A rejected change writes nothing. After a rejection, a repeated call with an equal `callId` is decided again.
 * - `write` fails with `ActorEnded` if `by` is an ended session or key, or a key without `write:personal`. `write`
 *   checks the session or key and applies the change atomically.
 * - Amounts, prices and shares are stored exactly.
 * - Ids are above 0, unique over all accounts, and ascending within an account.
 * - All times and periods use the store's clock.
 * - Each result of `holdings` and `history` is a consistent snapshot.
 */
export const JournalStore = Context.Reference<{
  /** Applies a change to the account's journal; `callId` has at most 200 ASCII characters. */
  readonly write: (
    account: number,
    callId: string,
    change: JournalChange,
    by?: Actor
  ) => Effect.Effect<JournalChangeResult, JournalChangeError | Failure>
  readonly holdings: (account: number) => Effect.Effect<Holdings, Failure>
  /** Returns the trades closed within the last `withinMs`, of one coin or of all coins. */
  readonly history: (
    account: number,
    query: { readonly withinMs: number; readonly coin: string | null; readonly limit: number }
  ) => Effect.Effect<TradeHistory, Failure>
  /** Returns all trades of positions that were completely closed within the last `withinMs`, by close time and id. */
  readonly listClosedTrades: (account: number, withinMs: number) => Effect.Effect<ReadonlyArray<Trade>, Failure>
}>("@tapeline/core/journal/JournalStore", {
  defaultValue: () => {
    const failNoStore = () => Effect.fail(new NoJournalStore())
    return { write: failNoStore, holdings: failNoStore, history: failNoStore, listClosedTrades: failNoStore }
  }
})
