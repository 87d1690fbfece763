import { hourMs } from "../../market/timeframe.ts"
import type { Columns } from "./candleColumns.ts"

/**
 * Places candles on a regular grid. A row without a candle contains NaN. A window of n hours therefore always has n
 * rows.
 */

/** The minimum share of a window's rows that must have candles. */
export const minPresentShare = 2 / 3

/** The maximum number of rows by which the replacement of a missing close may be earlier. */
export const maxAnchorRows = 6

/**
 * A series of candles on a regular grid. Row `i` opens at `from + i * stepMs`, and contains NaN if no candle is
 * recorded.
 */
export type Grid = Columns & { readonly from: number; readonly stepMs: number }

export const placeOnGrid = (candles: Columns, from: number, to: number, stepMs: number = hourMs): Grid => {
  const n = Math.max(0, Math.round((to - from) / stepMs))
  const makeEmptyColumn = (): Float64Array => new Float64Array(n).fill(NaN)
  const grid = {
    from,
    stepMs,
    time: Float64Array.from({ length: n }, (_, i) => from + i * stepMs),
    open: makeEmptyColumn(),
    high: makeEmptyColumn(),
    low: makeEmptyColumn(),
    close: makeEmptyColumn(),
    volume: makeEmptyColumn(),
    takerBuyVolume: makeEmptyColumn()
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

export const getRow = ({ from, stepMs }: Pick<Grid, "from" | "stepMs">, time: number): number =>
  Math.round((time - from) / stepMs)

/** Returns the log returns between consecutive rows, or NaN if either close is missing. */
export const getLogReturns = (close: Float64Array): Float64Array => {
  const returns = new Float64Array(close.length).fill(NaN)
  for (let i = 1; i < close.length; i++) returns[i] = Math.log(close[i]! / close[i - 1]!)
  return returns
}

/** Returns the sample standard deviation of the `n` returns that end with `last`, or NaN if too few returns exist. */
export const getDeviation = (returns: Float64Array, last: number, n: number): number => {
  if (last < n) return NaN
  let count = 0
  let sum = 0
  for (let i = last - n + 1; i <= last; i++) {
    const value = returns[i]!
    if (value !== value) continue
    count++
    sum += value
  }
  if (count < minPresentShare * n || count < 2) return NaN
  const mean = sum / count
  let squares = 0
  for (let i = last - n + 1; i <= last; i++) {
    const value = returns[i]!
    if (value === value) squares += (value - mean) * (value - mean)
  }
  return Math.sqrt(squares / (count - 1))
}

/**
 * Returns the row of the last close at or before a row, or -1 if no close exists. Searches at most `maxRowsBack`
 * earlier rows.
 */
export const findAnchorRow = (close: Float64Array, row: number, maxRowsBack: number = maxAnchorRows): number => {
  for (let i = row; i >= Math.max(0, row - maxRowsBack); i--) if (!Number.isNaN(close[i]!)) return i
  return -1
}

/**
 * Returns the log return over the `n` rows that end with `last`, in standard deviations. The standard deviation is
 * estimated from the last `sampleRows` rows and scaled to the time that the return spans. Returns NaN if the return or
 * the deviation is unknown, or if the price did not move.
 */
export const getStandardisedMove = (
  close: Float64Array,
  returns: Float64Array,
  last: number,
  n: number,
  sampleRows: number,
  maxRowsBack: number = maxAnchorRows
): number => {
  const from = findAnchorRow(close, last - n, maxRowsBack)
  const deviation = getDeviation(returns, last, sampleRows)
  return from < 0 || !(deviation > 0)
    ? NaN
    : Math.log(close[last]! / close[from]!) / (deviation * Math.sqrt(last - from))
}

/** Returns the mean of the `n` values that end with `last`, or NaN if too few values exist. */
export const getMean = (column: Float64Array, last: number, n: number): number => {
  if (last < n - 1) return NaN
  let count = 0
  let sum = 0
  for (let i = last - n + 1; i <= last; i++) {
    const value = column[i]!
    if (value !== value) continue
    count++
    sum += value
  }
  return count < minPresentShare * n ? NaN : sum / count
}
