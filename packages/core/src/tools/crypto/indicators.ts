import { adx, atr, bollinger, ema, macd, rangePosition, roc, rsi, stochastic } from "@tapeline/quant/indicators"
import { barsOf } from "../../analysis/signals/averages.ts"
import type { ClosedBars } from "../../analysis/signals/closedBars.ts"
import { columnsOf } from "../../analysis/signals/columns.ts"
import { layOnGrid } from "../../analysis/signals/grid.ts"
import { finiteOrNull } from "../../engine/tool/result.ts"
import { level } from "../../engine/tool/rounding.ts"
import { afterLastHole, runsOf } from "../../market/candle.ts"
import { durationMs } from "../../market/timeframe.ts"

const asWritten = (price: number | null): number | null => price === null ? null : level(price)

const last = (series: Float64Array): number | null => finiteOrNull(series[series.length - 1])

/** Returns a row of MACD. The histogram is the difference of the rounded values. */
const macdRow = (line: number | null, signal: number | null) => ({
  line,
  signal,
  histogram: line === null || signal === null ? null : level(line) - level(signal)
})

/** Returns two sets of columns: for averages, which skip gaps, and for windows, which need adjacent candles. */
const columnsFor = ({ candles, tf }: ClosedBars) => {
  const newest = candles.at(-1)!
  const grid = layOnGrid(columnsOf(candles), candles[0]!.time, newest.time + durationMs[tf], durationMs[tf])
  const averaged = barsOf(grid, 0, grid.time.length)
  return {
    averaged,
    /** Opening times of the averages' bars. */
    times: Float64Array.from(averaged.rows, (row) => grid.time[row]!),
    window: columnsOf(afterLastHole(candles, durationMs[tf]))
  }
}

/** Values with the opening times of their bars. */
export interface Timed {
  readonly times: Float64Array
  readonly values: Float64Array
}

const bandsByRuns = ({ candles, tf }: ClosedBars) => {
  const parts = runsOf(candles, durationMs[tf]).map((run) => {
    const { close, time } = columnsOf(run)
    return { times: time, ...bollinger(close, 20, 2) }
  })
  const joined = (of: (part: typeof parts[number]) => Float64Array): Float64Array =>
    Float64Array.from(parts.flatMap((part) => [...of(part)]))
  const times = joined((part) => part.times)
  return {
    upper: { times, values: joined(({ upper }) => upper) },
    middle: { times, values: joined(({ middle }) => middle) },
    lower: { times, values: joined(({ lower }) => lower) }
  }
}

/** Returns the indicators of `indicatorsOf` for all candles, for charts. NaN before the first value. */
export const indicatorSeriesOf = (bars: ClosedBars) => {
  const { averaged: { close, joined }, times } = columnsFor(bars)
  const timed = (values: Float64Array): Timed => ({ times, values })
  return {
    ema: (n: 20 | 50 | 200) => timed(ema(close, n)),
    rsi: () => timed(rsi(joined.close, 14)),
    macd: () => {
      const { histogram, line, signal } = macd(close, 12, 26, 9)
      return { line: timed(line), signal: timed(signal), histogram: timed(histogram) }
    },
    bollinger: () => bandsByRuns(bars)
  }
}

/** Returns the average true range (14) at the newest candle. */
export const atrOf = (bars: ClosedBars): number | null => {
  const { joined } = columnsFor(bars).averaged
  return last(atr(joined.high, joined.low, joined.close, 14))
}

/** Returns the indicators at the newest candle, as `get_indicators` reports them. */
export const indicatorsOf = (bars: ClosedBars) => {
  const { averaged: { close: closes, joined }, window: { close, high, low } } = columnsFor(bars)
  const newest = bars.candles.at(-1)!
  const { line, signal } = macd(closes, 12, 26, 9)
  const bands = bollinger(close, 20, 2)
  // Rounded as in the result, so that a reader can reproduce the width and the position.
  const upper = asWritten(last(bands.upper))
  const middle = asWritten(last(bands.middle))
  const lower = asWritten(last(bands.lower))
  const movement = adx(joined.high, joined.low, joined.close, 14)
  const range = last(atr(joined.high, joined.low, joined.close, 14))
  const slow = stochastic(high, low, close, 14, 3, 3)
  const width = upper === null || lower === null ? null : upper - lower
  return {
    rsi: last(rsi(joined.close, 14)),
    macd: macdRow(last(line), last(signal)),
    momentum_pct: last(roc(close, 10)),
    range_position_pct: last(rangePosition(high, low, close, 20)),
    ema: { "20": last(ema(closes, 20)), "50": last(ema(closes, 50)), "200": last(ema(closes, 200)) },
    bollinger: {
      upper,
      middle,
      lower,
      width_pct: width === null || middle === null ? null : finiteOrNull((width / middle) * 100),
      position_pct: width === null || lower === null ? null : finiteOrNull(((newest.close - lower) / width) * 100)
    },
    adx: last(movement.adx),
    plus_di: last(movement.plusDi),
    minus_di: last(movement.minusDi),
    atr: range,
    atr_pct: range === null ? null : (range / newest.close) * 100,
    stochastic: { k: last(slow.k), d: last(slow.d) }
  }
}

/** Returns the indicators that a screen tests, of 1h candles. */
export const screenedIndicatorsOf = (bars: ClosedBars) => {
  const { atr_pct, range_position_pct, rsi } = indicatorsOf(bars)
  return { rsi, atr_pct, range_position_pct }
}
