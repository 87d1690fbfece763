import { dayMs, hourMs } from "../../market/timeframe.ts"
import { getDayOf } from "./dayCache/dayRows.ts"
import type { Grid } from "./grid.ts"

/** Chooses the 1h candles from which recursive averages, such as the EMA, are computed. */

/**
 * The number of hours before a UTC day at which the averages of that day start. After 250 hours, EMA(50), RSI, MACD and
 * ATR no longer depend on their start. After 600 hours, the start value of EMA(200) has a weight of a fiftieth.
 */
export const warmUpHours = 600

/**
 * Returns the opening time of the first 1h candle from which the averages at an hour are computed. The result is the
 * same for all hours of a UTC day.
 */
export const getAveragesStart = (close: number): number => getDayOf(close) - warmUpHours * hourMs

/** Yields the start of each UTC day that contains an hour with a close in `(from, to]`, in epoch ms. */
export const iterateDays = function*(from: number, to: number): Generator<number> {
  for (let day = getDayOf(from + hourMs); day < to; day += dayMs) yield day
}

export interface AverageBars {
  readonly rows: Int32Array
  readonly close: Float64Array
  /**
   * The bars without the price moves across gaps, for indicators that compare consecutive bars, such as the ATR. After
   * a gap, bars are shifted so that the first bar opens at the close before the gap.
   */
  readonly gapAdjusted: { readonly high: Float64Array; readonly low: Float64Array; readonly close: Float64Array }
}

/** Returns the bars in the rows `[first, end)` of a grid. Rows without a candle are omitted. */
export const getBars = ({ close, high, low, open }: Grid, first: number, end: number): AverageBars => {
  const rows: Array<number> = []
  for (let i = Math.max(0, first); i < Math.min(end, close.length); i++) if (!Number.isNaN(close[i]!)) rows.push(i)
  const n = rows.length
  const bars = {
    rows: Int32Array.from(rows),
    close: new Float64Array(n),
    gapAdjusted: { high: new Float64Array(n), low: new Float64Array(n), close: new Float64Array(n) }
  }
  let shift = 0
  for (let k = 0; k < n; k++) {
    const i = rows[k]!
    if (k > 0 && i !== rows[k - 1]! + 1) shift = bars.gapAdjusted.close[k - 1]! - open[i]!
    bars.close[k] = close[i]!
    bars.gapAdjusted.high[k] = high[i]! + shift
    bars.gapAdjusted.low[k] = low[i]! + shift
    bars.gapAdjusted.close[k] = close[i]! + shift
  }
  return bars
}
