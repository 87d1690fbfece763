import {
  decideJournalChange,
  type JournalChange,
  type JournalChangeResult,
  type JournalEffects,
  type JournalNote,
  type JournalState,
  JournalStore,
  maxHistoryNotes,
  noProfile,
  type Position,
  type RiskProfile,
  type Trade,
  writeRetentionMs
} from "@tapeline/core/personal"
import { Clock, Effect, Layer, Result } from "effect"
import { hasActorEnded } from "./actors.ts"
import { MemoryState } from "./MemoryState.ts"

interface Journal {
  readonly positions: Map<number, Position>
  readonly trades: Map<number, Trade>
  readonly notes: Map<number, JournalNote>
  profile: RiskProfile
  watchlist: ReadonlyArray<string>
  readonly writes: Map<string, { readonly result: JournalChangeResult; readonly at: number }>
}

const emptyJournal = (): Journal => ({
  positions: new Map(),
  trades: new Map(),
  notes: new Map(),
  profile: noProfile,
  watchlist: [],
  writes: new Map()
})

const getState = (journal: Journal, change: JournalChange): Omit<JournalState, "hasEnded"> => ({
  position: "id" in change ? journal.positions.get(change.id) ?? null : null,
  hasTrade: change._tag === "AddNote" && change.tradeId !== null && journal.trades.has(change.tradeId),
  counts: { positions: journal.positions.size, trades: journal.trades.size, notes: journal.notes.size },
  profile: journal.profile,
  watchlist: journal.watchlist
})

const applyEffects = (journal: Journal, { note, profile, put, remove, trade, watchlist }: JournalEffects): void => {
  if (put !== undefined) journal.positions.set(put.id, put)
  if (remove !== undefined) journal.positions.delete(remove)
  if (trade !== undefined) journal.trades.set(trade.id, trade)
  if (note !== undefined) journal.notes.set(note.id, note)
  journal.profile = profile ?? journal.profile
  journal.watchlist = watchlist ?? journal.watchlist
}

const compareNewestFirst = (a: Trade, b: Trade): number => b.closedAt - a.closedAt || b.id - a.id

/**
 * Provides `JournalStore` in memory. Each build of the layer creates a new store, which uses the clock of the layer.
 * The journal store uses the keys and sessions of `MemoryState`.
 */
export const MemoryJournalStore: Layer.Layer<never, never, MemoryState> = Layer.effect(
  JournalStore,
  Effect.gen(function*() {
    // The clock of the layer is used, because a request about a past time has another clock, which must not date
    // writes.
    const clock = yield* Clock.Clock
    const state = yield* MemoryState
    const journals = new Map<number, Journal>()
    let lastId = 0
    const getJournal = (account: number): Journal => journals.get(account) ?? emptyJournal()
    const timeAgo = (ms: number) => clock.currentTimeMillisUnsafe() - ms
    return {
      write: (account, callId, change, actor) =>
        Effect.suspend(() => {
          const journal = getJournal(account)
          journals.set(account, journal)
          const now = clock.currentTimeMillisUnsafe()
          for (const [call, { at }] of journal.writes) if (at <= now - writeRetentionMs) journal.writes.delete(call)
          const existing = journal.writes.get(callId)
          if (existing !== undefined) return Effect.succeed(existing.result)
          const hasEnded = hasActorEnded(state, account, actor, now)
          const decision = decideJournalChange(change, { ...getState(journal, change), hasEnded }, {
            id: ++lastId,
            now
          })
          if (Result.isFailure(decision)) return Effect.fail(decision.failure)
          const { effects, result } = decision.success
          applyEffects(journal, effects)
          journal.writes.set(callId, { result: result, at: now })
          return Effect.succeed(result)
        }),
      holdings: (account) =>
        Effect.sync(() => {
          const { positions, profile, watchlist } = getJournal(account)
          return { positions: [...positions.values()].sort((a, b) => a.id - b.id), profile, watchlist }
        }),
      history: (account, { coin, limit, withinMs }) =>
        Effect.sync(() => {
          const { notes, trades: all } = getJournal(account)
          const [from, matchesCoin] = [timeAgo(withinMs), (one: string | null) => coin === null || one === coin]
          const matching = [...all.values()].filter((trade) => trade.closedAt > from && matchesCoin(trade.coin))
          const trades = matching.sort(compareNewestFirst).slice(0, limit)
          const shownTradeIds = new Set(trades.map(({ id }) => id))
          const isShown = ({ coin, tradeId, writtenAt }: JournalNote) =>
            tradeId === null ? writtenAt > from && matchesCoin(coin) : shownTradeIds.has(tradeId)
          return {
            trades,
            total: matching.length,
            notes: [...notes.values()].filter(isShown).sort((a, b) => b.id - a.id).slice(0, maxHistoryNotes)
          }
        }),
      listClosedTrades: (account, withinMs) =>
        Effect.sync(() => {
          const trades = [...getJournal(account).trades.values()].sort((a, b) => a.closedAt - b.closedAt || a.id - b.id)
          const from = timeAgo(withinMs)
          const closedPositionIds = new Set(
            trades.flatMap((one) => one.closes && one.closedAt > from ? [one.positionId] : [])
          )
          return trades.filter(({ positionId }) => closedPositionIds.has(positionId))
        })
    }
  })
)
