import { hourMs } from "../../market/timeframe.ts"
import type { Columns } from "./columns.ts"

/**
 * Windows count time, not bars: candles are laid on their grid first, with holes where none was recorded, and a window
 * of so many hours is so many rows. What is there in it speaks, if enough is.
 */

/**
 * The least share of a window that must be there. Five hours of outage that touch six hours of the grid leave 17 of a
 * day's 24 returns.
 */
export const leastShare = 2 / 3

/** An hour in a hole is told by the last close before it, this many hours back at most; else it is not told. */
export const anchorRows = 6

/** Candles on their grid: row `i` opened at `from + i * stepMs`. NaN where there is no candle. */
export type Grid = Columns & { readonly from: number; readonly stepMs: number }

/** Lays those of some candles that open in `[from, to)` on their grid. */
export const layOnGrid = (candles: Columns, from: number, to: number, stepMs: number = hourMs): Grid => {
  const n = Math.max(0, Math.round((to - from) / stepMs))
  const blank = (): Float64Array => new Float64Array(n).fill(NaN)
  const grid = {
    from,
    stepMs,
    time: Float64Array.from({ length: n }, (_, i) => from + i * stepMs),
    open: blank(),
    high: blank(),
    low: blank(),
    close: blank(),
    volume: blank(),
    takerBuyVolume: blank()
  }
  for (let k = 0; k < candles.time.length; k++) {
    const i = (candles.time[k]! - from) / stepMs
    if (!(i >= 0 && i < n)) continue
    grid.open[i] = candles.open[k]!
    grid.high[i] = candles.high[k]!
    grid.low[i] = candles.low[k]!
    grid.close[i] = candles.close[k]!
    grid.volume[i] = candles.volume[k]!
    grid.takerBuyVolume[i] = candles.takerBuyVolume[k]!
  }
  return grid
}

/** The row of an instant on a grid. */
export const rowOf = ({ from, stepMs }: Pick<Grid, "from" | "stepMs">, time: number): number =>
  Math.round((time - from) / stepMs)

/** Log returns from row to row; NaN where either close is missing. */
export const returnsOf = (close: Float64Array): Float64Array => {
  const returns = new Float64Array(close.length).fill(NaN)
  for (let i = 1; i < close.length; i++) returns[i] = Math.log(close[i]! / close[i - 1]!)
  return returns
}

/**
 * Sample standard deviation of the returns that are there among the `n` rows that end with `last`; NaN when fewer than
 * `leastShare` of them are.
 */
export const deviationOf = (returns: Float64Array, last: number, n: number): number => {
  if (last < n) return NaN
  let count = 0
  let sum = 0
  for (let i = last - n + 1; i <= last; i++) {
    const value = returns[i]!
    if (value !== value) continue
    count++
    sum += value
  }
  if (count < leastShare * n || count < 2) return NaN
  const mean = sum / count
  let squares = 0
  for (let i = last - n + 1; i <= last; i++) {
    const value = returns[i]!
    if (value === value) squares += (value - mean) * (value - mean)
  }
  return Math.sqrt(squares / (count - 1))
}

/** The row of the last close at or before a row, so many rows back at most; -1 when there is none. */
export const anchorOf = (close: Float64Array, row: number, back: number = anchorRows): number => {
  for (let i = row; i >= Math.max(0, row - back); i--) if (!Number.isNaN(close[i]!)) return i
  return -1
}

/**
 * The log return of some `n` rows that end with `last`, in standard deviations of the time that it really spans, which
 * are told from the `sample` rows before; NaN when either cannot be told, or nothing moved.
 */
export const moveOf = (
  close: Float64Array,
  returns: Float64Array,
  last: number,
  n: number,
  sample: number,
  back: number = anchorRows
): number => {
  const from = anchorOf(close, last - n, back)
  const spread = deviationOf(returns, last, sample)
  return from < 0 || !(spread > 0) ? NaN : Math.log(close[last]! / close[from]!) / (spread * Math.sqrt(last - from))
}

/** Mean of what is there among the `n` rows that end with `last`; NaN when less than `leastShare` of them is. */
export const meanOf = (column: Float64Array, last: number, n: number): number => {
  if (last < n - 1) return NaN
  let count = 0
  let sum = 0
  for (let i = last - n + 1; i <= last; i++) {
    const value = column[i]!
    if (value !== value) continue
    count++
    sum += value
  }
  return count < leastShare * n ? NaN : sum / count
}
