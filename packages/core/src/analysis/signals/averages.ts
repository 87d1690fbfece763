import { dayMs, hourMs } from "../../market/timeframe.ts"
import type { Grid } from "./grid.ts"
import { dayOf } from "./remembered/dayRows.ts"

/**
 * Where averages that feed on themselves begin, and what they run over. Whatever shows one of 1h candles (scores,
 * regimes, indicators, divergences) has it from here, so that they agree.
 */

/**
 * Hours of candles before the UTC day of an hour at which its averages begin. EMA(50), RSI, MACD and ATR have lost
 * their start after 250; of EMA(200), which begins as the mean of 200 hours, a fiftieth of it is left by then.
 */
export const warmUpHours = 600

/** Opening instant of the first 1h candle of the averages at the close of an hour: the same all day. */
export const averagesFrom = (close: number): number => dayOf(close) - warmUpHours * hourMs

/** Every day whose hours close in `(from, to]`, as 00:00 UTC. */
export const daysOf = function*(from: number, to: number): Generator<number> {
  for (let day = dayOf(from + hourMs); day < to; day += dayMs) yield day
}

/** Bars that averages run over. */
export interface Bars {
  /** Their rows on the grid. */
  readonly rows: Int32Array
  readonly close: Float64Array
  /**
   * The same bars joined up: after a hole each begins at its own open where the one before it closed, so that what
   * moved inside the hole is nobody's. For ranges, movements, gains and losses, which go from bar to bar.
   */
  readonly joined: { readonly high: Float64Array; readonly low: Float64Array; readonly close: Float64Array }
}

/** The bars that are there in the rows `[first, end)`: a hole adds nothing to an average. */
export const barsOf = ({ close, high, low, open }: Grid, first: number, end: number): Bars => {
  const rows: Array<number> = []
  for (let i = Math.max(0, first); i < Math.min(end, close.length); i++) if (!Number.isNaN(close[i]!)) rows.push(i)
  const n = rows.length
  const bars = {
    rows: Int32Array.from(rows),
    close: new Float64Array(n),
    joined: { high: new Float64Array(n), low: new Float64Array(n), close: new Float64Array(n) }
  }
  let shift = 0
  for (let k = 0; k < n; k++) {
    const i = rows[k]!
    if (k > 0 && i !== rows[k - 1]! + 1) shift = bars.joined.close[k - 1]! - open[i]!
    bars.close[k] = close[i]!
    bars.joined.high[k] = high[i]! + shift
    bars.joined.low[k] = low[i]! + shift
    bars.joined.close[k] = close[i]! + shift
  }
  return bars
}
