import { Context, Effect } from "effect"
import type { Actor } from "../../engine/access/account.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { type JournalChangeError, NoJournalStore } from "./errors.ts"
import type { JournalChange } from "./journalChange.ts"
import type { JournalChangeResult, JournalNote, Position, RiskProfile, Trade } from "./records.ts"

/** The time for which the store remembers the write of a call, in ms. Calls are not repeated after this time. */
export const writeRetentionMs = 30 * 86_400_000

/** The maximum number of notes in a history. */
export const maxHistoryNotes = 100

/** The open positions, risk profile and watchlist of an account. */
export interface Holdings {
  /** The open positions, oldest first. */
  readonly positions: ReadonlyArray<Position>
  readonly profile: RiskProfile
  /** The watched coins, in the order in which they were added. */
  readonly watchlist: ReadonlyArray<string>
}

export interface TradeHistory {
  /** The matching trades, newest first, at most the requested number. */
  readonly trades: ReadonlyArray<Trade>
  readonly total: number
  /**
   * The newest notes on the returned trades, and the newest notes of the period that belong to no trade, newest first.
   */
  readonly notes: ReadonlyArray<JournalNote>
}

type Failure = StoreUnavailable | NoJournalStore

/**
 * Stores the journals of accounts: open positions, trades, notes, a risk profile and a watchlist.
 *
 * - A journal belongs to an account. Each method treats another account's records as records that do not exist.
 * - `write` applies the decision of `decideJournalChange` atomically: either all records of a change are durable, or no
 *   record is. Changes of one account run one after the other, and each change sees the result of the previous change.
 *   Changes of different accounts do not wait for each other.
 * - A call writes once. A repeated call with the same account and `callId` within `writeRetentionMs` changes nothing
 *   and returns the first result. The first result is returned even if the arguments differ, or if the record was
 *   deleted since. Concurrent calls, and calls whose first response was lost, also write once. A rejected change wrote
 *   nothing, so a repeated call is decided again.
 * - `write` fails with `ActorEnded` if `by` is an ended session, an ended key, or a key without `write:personal`. The
 *   session or key cannot end between this check and the change.
 * - Amounts, prices and shares are stored exactly.
 * - Ids are above 0 and unique over all accounts. Within an account, later ids are larger.
 * - All times use the store's clock: the times of records, the end of the period of `withinMs`, and the retention of
 *   writes.
 * - Each result of `holdings` and `history` is a consistent snapshot.
 *
 * Without an adapter, every method fails with `NoJournalStore`.
 */
export const JournalStore = Context.Reference<{
  /** Applies a change to the account's journal. `callId` is `CallContext.callId`: at most 200 ASCII characters. */
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
  /**
   * Returns all trades of the positions that were completely closed within the last `withinMs`, including earlier
   * partial closes. Ordered by close time, then by id.
   */
  readonly listClosedTrades: (account: number, withinMs: number) => Effect.Effect<ReadonlyArray<Trade>, Failure>
}>("@tapeline/core/journal/JournalStore", {
  defaultValue: () => {
    const failNoStore = () => Effect.fail(new NoJournalStore())
    return { write: failNoStore, holdings: failNoStore, history: failNoStore, listClosedTrades: failNoStore }
  }
})
