import { dayMs, hourMs } from "../../market/timeframe.ts"
import { getDayOf } from "./dayCache/dayRows.ts"
import type { Grid } from "./grid.ts"

/**
 * The start and the bars of recursive averages. All results on 1h candles (scores, regimes, indicators, divergences)
 * use these functions, so that they agree.
 */

/**
 * Hours of candles before a UTC day at which its averages begin. After 250 hours, EMA(50), RSI, MACD and ATR no longer
 * depend on their start. EMA(200) begins as the mean of 200 hours. By then, a fiftieth of that start remains in it.
 */
export const warmUpHours = 600

/**
 * The opening time of the first 1h candle of the averages at the close of an hour. It is the same for all hours of a
 * day.
 */
export const getAveragesStart = (close: number): number => getDayOf(close) - warmUpHours * hourMs

/** Yields each day whose hours close in `(from, to]`, as 00:00 UTC. */
export const iterateDays = function*(from: number, to: number): Generator<number> {
  for (let day = getDayOf(from + hourMs); day < to; day += dayMs) yield day
}

/** The bars of an average. */
export interface AverageBars {
  /** The grid rows of the bars. */
  readonly rows: Int32Array
  readonly close: Float64Array
  /**
   * The same bars without the moves across holes. After a hole, each bar is shifted so that it opens at the close
   * before the hole. Used for ranges, movements, gains and losses, which compare consecutive bars.
   */
  readonly gapAdjusted: { readonly high: Float64Array; readonly low: Float64Array; readonly close: Float64Array }
}

/** Returns the existing bars in the rows `[first, end)`. A hole adds nothing to an average. */
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
