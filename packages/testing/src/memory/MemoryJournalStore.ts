import {
  decide,
  historyNotesAtMost,
  type JournalChange,
  type JournalEffects,
  type JournalNote,
  type JournalState,
  JournalStore,
  noProfile,
  type Position,
  type RiskProfile,
  type Trade,
  writesKeptMs,
  type Written
} from "@tapeline/core/personal"
import { Clock, Effect, Layer, Result } from "effect"
import { hasActorEnded } from "./actors.ts"
import { MemoryState } from "./MemoryState.ts"

/** The rows of an account's journal. */
interface Journal {
  readonly positions: Map<number, Position>
  readonly trades: Map<number, Trade>
  readonly notes: Map<number, JournalNote>
  profile: RiskProfile
  watchlist: ReadonlyArray<string>
  /** By call. */
  readonly writes: Map<string, { readonly written: Written; readonly at: number }>
}

const emptyJournal = (): Journal => ({
  positions: new Map(),
  trades: new Map(),
  notes: new Map(),
  profile: noProfile,
  watchlist: [],
  writes: new Map()
})

const stateOf = (journal: Journal, change: JournalChange): Omit<JournalState, "hasEnded"> => ({
  position: "id" in change ? journal.positions.get(change.id) ?? null : null,
  hasTrade: change._tag === "AddNote" && change.tradeId !== null && journal.trades.has(change.tradeId),
  counts: { positions: journal.positions.size, trades: journal.trades.size, notes: journal.notes.size },
  profile: journal.profile,
  watchlist: journal.watchlist
})

const apply = (journal: Journal, { note, profile, put, remove, trade, watchlist }: JournalEffects): void => {
  if (put !== undefined) journal.positions.set(put.id, put)
  if (remove !== undefined) journal.positions.delete(remove)
  if (trade !== undefined) journal.trades.set(trade.id, trade)
  if (note !== undefined) journal.notes.set(note.id, note)
  journal.profile = profile ?? journal.profile
  journal.watchlist = watchlist ?? journal.watchlist
}

const newestFirst = (a: Trade, b: Trade): number => b.closedAt - a.closedAt || b.id - a.id

/**
 * `JournalStore` in memory, a new store for each built layer, with the keys and sessions of `MemoryState`. Its time is
 * the layer's clock.
 */
export const MemoryJournalStore: Layer.Layer<never, never, MemoryState> = Layer.effect(
  JournalStore,
  Effect.gen(function*() {
    // A request with a time in the past has another clock, which must not date writes.
    const clock = yield* Clock.Clock
    const state = yield* MemoryState
    const journals = new Map<number, Journal>()
    let lastId = 0
    const of = (account: number): Journal => journals.get(account) ?? emptyJournal()
    const after = (ms: number) => clock.currentTimeMillisUnsafe() - ms
    return {
      write: (account, callId, change, by) =>
        Effect.suspend(() => {
          const journal = of(account)
          journals.set(account, journal)
          const now = clock.currentTimeMillisUnsafe()
          for (const [call, { at }] of journal.writes) if (at <= now - writesKeptMs) journal.writes.delete(call)
          const known = journal.writes.get(callId)
          if (known !== undefined) return Effect.succeed(known.written)
          const hasEnded = hasActorEnded(state, account, by, now)
          const decision = decide(change, { ...stateOf(journal, change), hasEnded }, { id: ++lastId, now })
          if (Result.isFailure(decision)) return Effect.fail(decision.failure)
          const { effects, written } = decision.success
          apply(journal, effects)
          journal.writes.set(callId, { written, at: now })
          return Effect.succeed(written)
        }),
      holdings: (account) =>
        Effect.sync(() => {
          const { positions, profile, watchlist } = of(account)
          return { positions: [...positions.values()].sort((a, b) => a.id - b.id), profile, watchlist }
        }),
      history: (account, { coin, limit, withinMs }) =>
        Effect.sync(() => {
          const { notes, trades: all } = of(account)
          const [from, ofCoin] = [after(withinMs), (one: string | null) => coin === null || one === coin]
          const found = [...all.values()].filter((trade) => trade.closedAt > from && ofCoin(trade.coin))
          const trades = found.sort(newestFirst).slice(0, limit)
          const told = new Set(trades.map(({ id }) => id))
          const about = ({ coin, tradeId, writtenAt }: JournalNote) =>
            tradeId === null ? writtenAt > from && ofCoin(coin) : told.has(tradeId)
          return {
            trades,
            total: found.length,
            notes: [...notes.values()].filter(about).sort((a, b) => b.id - a.id).slice(0, historyNotesAtMost)
          }
        }),
      closed: (account, withinMs) =>
        Effect.sync(() => {
          const trades = [...of(account).trades.values()].sort((a, b) => a.closedAt - b.closedAt || a.id - b.id)
          const from = after(withinMs)
          const ended = new Set(trades.flatMap((one) => one.closes && one.closedAt > from ? [one.positionId] : []))
          return trades.filter(({ positionId }) => ended.has(positionId))
        })
    }
  })
)
