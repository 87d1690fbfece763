import type { History, JournalNote, Position, Positions, Recorded, Trade, Watchlist } from "./asks.ts"

type Side = Position["side"]

/** What a position, or a part of it, makes at a price, after fees, USD. */
export const profitAt = (
  { entry, exit, fees = 0, side, size }: {
    readonly side: Side
    /** Notional at the entry, USD. */
    readonly size: number
    readonly entry: number
    readonly exit: number
    readonly fees?: number
  }
): number => size * (exit - entry) / entry * (side === "long" ? 1 : -1) - fees

/** What the stop costs, USD; 0 where it lies on the winning side of the entry. */
export const lossAt = (
  of: { readonly side: Side; readonly size: number; readonly entry: number; readonly stop: number }
) => Math.max(0, -profitAt({ ...of, exit: of.stop }))

/** All positions together, USD, as far as they have a price; `unvalued` are those that have none. */
export interface Totals {
  readonly profit: number
  readonly long: number
  readonly short: number
  /** Those without a stop. */
  readonly unprotected: number
  readonly unvalued: number
}

const sumOf = <A>(rows: ReadonlyArray<A>, of: (row: A) => number | null): number =>
  rows.reduce((sum, row) => sum + (of(row) ?? 0), 0)

export const totalsOf = (positions: ReadonlyArray<Position>): Totals => {
  const valueOf = (side: Side) => sumOf(positions.filter((one) => one.side === side), ({ value_usd }) => value_usd)
  return {
    profit: sumOf(positions, ({ unrealised_usd }) => unrealised_usd),
    long: valueOf("long"),
    short: valueOf("short"),
    unprotected: positions.filter(({ stop }) => stop === null).length,
    unvalued: positions.filter(({ unrealised_usd }) => unrealised_usd === null).length
  }
}

/** What the market makes of a position is not known until it is asked for again. */
const unvalued = {
  value_usd: null,
  unrealised_usd: null,
  unrealised_pct: null,
  liquidation_price: null,
  liquidation_distance_pct: null
} as const

/** The list once a position was recorded or changed: in its place, or at the end. */
export const withRecorded = (before: Positions, recorded: Recorded): Positions => {
  const mark = before.positions.find(({ coin }) => coin === recorded.coin)?.mark ?? null
  const row: Position = { ...recorded, ...unvalued, mark }
  return {
    ...before,
    positions: before.positions.some(({ id }) => id === row.id)
      ? before.positions.map((one) => one.id === row.id ? row : one)
      : [...before.positions, row]
  }
}

/** The list once a position is open no more. */
export const without = (before: Positions, id: number): Positions => ({
  ...before,
  positions: before.positions.filter((one) => one.id !== id)
})

export const withNote = (before: History, note: JournalNote): History => ({
  ...before,
  journal_notes: [note, ...before.journal_notes.filter(({ id }) => id !== note.id)]
})

/** The watchlist once coins were added or taken out: what is new has no price yet. */
export const withCoins = (before: Watchlist, coins: ReadonlyArray<string>): Watchlist => ({
  ...before,
  coins: coins.map((coin) =>
    before.coins.find((one) => one.coin === coin) ?? { coin, price: null, change_24h_pct: null }
  )
})

/** What was made up to each trade, in the order in which they closed, for those of which it is known; USD. */
export const earnedOver = (
  trades: ReadonlyArray<Trade>
): ReadonlyArray<{ readonly at: number; readonly value: number }> => {
  const known = trades
    .flatMap(({ closed_at, id, pnl_usd }) => pnl_usd === null ? [] : [{ at: Date.parse(closed_at), id, pnl_usd }])
    .sort((a, b) => a.at - b.at || a.id - b.id)
  let value = 0
  return known.map(({ at, pnl_usd }) => ({ at, value: value += pnl_usd }))
}

/** Notes on a trade, the newest first. */
export const notesOn = ({ journal_notes }: History, { id }: Trade): ReadonlyArray<JournalNote> =>
  journal_notes.filter(({ trade_id }) => trade_id === id)

/** Notes on no trade. */
export const looseNotes = ({ journal_notes }: History): ReadonlyArray<JournalNote> =>
  journal_notes.filter(({ trade_id }) => trade_id === null)
