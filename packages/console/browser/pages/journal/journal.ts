import type { History, JournalNote, Position, Positions, RecordedPosition, Trade, Watchlist } from "./queries.ts"

type Side = Position["side"]

/** Returns the profit of closing a position at the price `exit`, after fees, in USD. */
export const computeProfit = (
  { entry, exit, fees = 0, side, size }: {
    readonly side: Side
    /** The notional value at the entry price, in USD. */
    readonly size: number
    readonly entry: number
    readonly exit: number
    readonly fees?: number
  }
): number => size * (exit - entry) / entry * (side === "long" ? 1 : -1) - fees

/** Returns the loss at the stop price, in USD; 0 if the stop is on the winning side of the entry. */
export const computeLossAtStop = (
  position: { readonly side: Side; readonly size: number; readonly entry: number; readonly stop: number }
) => Math.max(0, -computeProfit({ ...position, exit: position.stop }))

/** The totals of all positions with a known price, in USD, and the number of positions without a price. */
export interface Totals {
  readonly profit: number
  readonly long: number
  readonly short: number
  readonly withoutStop: number
  readonly withoutPrice: number
}

const sumBy = <A>(rows: ReadonlyArray<A>, valueOf: (row: A) => number | null): number =>
  rows.reduce((sum, row) => sum + (valueOf(row) ?? 0), 0)

export const computeTotals = (positions: ReadonlyArray<Position>): Totals => {
  const valueOf = (side: Side) => sumBy(positions.filter((one) => one.side === side), ({ value_usd }) => value_usd)
  return {
    profit: sumBy(positions, ({ unrealised_usd }) => unrealised_usd),
    long: valueOf("long"),
    short: valueOf("short"),
    withoutStop: positions.filter(({ stop }) => stop === null).length,
    withoutPrice: positions.filter(({ unrealised_usd }) => unrealised_usd === null).length
  }
}

/**
 * The fields of a position that depend on the market price, all null. A later request for the list of positions returns
 * the values at market prices.
 */
const unknownMarketValues = {
  value_usd: null,
  unrealised_usd: null,
  unrealised_pct: null,
  liquidation_price: null,
  liquidation_distance_pct: null
} as const

/** Returns the list of positions after recording or changing a position. */
export const withPosition = (before: Positions, recorded: RecordedPosition): Positions => {
  const mark = before.positions.find(({ coin }) => coin === recorded.coin)?.mark ?? null
  const row: Position = { ...recorded, ...unknownMarketValues, mark }
  return {
    ...before,
    positions: before.positions.some(({ id }) => id === row.id)
      ? before.positions.map((one) => one.id === row.id ? row : one)
      : [...before.positions, row]
  }
}

export const withoutPosition = (before: Positions, id: number): Positions => ({
  ...before,
  positions: before.positions.filter((one) => one.id !== id)
})

export const withNote = (before: History, note: JournalNote): History => ({
  ...before,
  journal_notes: [note, ...before.journal_notes.filter(({ id }) => id !== note.id)]
})

export const withCoins = (before: Watchlist, coins: ReadonlyArray<string>): Watchlist => ({
  ...before,
  coins: coins.map((coin) =>
    before.coins.find((one) => one.coin === coin) ?? { coin, price: null, change_24h_pct: null }
  )
})

/** Returns the cumulative profit after each trade with a known profit, in closing order, in USD. */
export const cumulativeProfit = (
  trades: ReadonlyArray<Trade>
): ReadonlyArray<{ readonly at: number; readonly value: number }> => {
  const known = trades
    .flatMap(({ closed_at, id, pnl_usd }) => pnl_usd === null ? [] : [{ at: Date.parse(closed_at), id, pnl_usd }])
    .sort((a, b) => a.at - b.at || a.id - b.id)
  let value = 0
  return known.map(({ at, pnl_usd }) => ({ at, value: value += pnl_usd }))
}

export const notesOn = ({ journal_notes }: History, { id }: Trade): ReadonlyArray<JournalNote> =>
  journal_notes.filter(({ trade_id }) => trade_id === id)

export const generalNotes = ({ journal_notes }: History): ReadonlyArray<JournalNote> =>
  journal_notes.filter(({ trade_id }) => trade_id === null)
