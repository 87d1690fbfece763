import { adx, atr, bollinger, ema, macd, rangePosition, roc, rsi, stochastic } from "@tapeline/quant/indicators"
import { getBars } from "../../analysis/signals/averages.ts"
import { toColumns } from "../../analysis/signals/candleColumns.ts"
import type { ClosedBars } from "../../analysis/signals/closedBars.ts"
import { placeOnGrid } from "../../analysis/signals/grid.ts"
import { finiteOrNull } from "../../engine/tool/result.ts"
import { level } from "../../engine/tool/rounding.ts"
import { afterLastHole, splitAtHoles } from "../../market/candle.ts"
import { durationMs } from "../../market/timeframe.ts"

const roundPrice = (price: number | null): number | null => price === null ? null : level(price)

const lastValue = (series: Float64Array): number | null => finiteOrNull(series[series.length - 1])

/** Converts values of MACD to a row. The histogram is the difference of the rounded values. */
const toMacdRow = (line: number | null, signal: number | null) => ({
  line,
  signal,
  histogram: line === null || signal === null ? null : level(line) - level(signal)
})

/**
 * Returns the candles as columns: `averaged` for moving averages, and `window` for indicators over a window. `averaged`
 * skips gaps, and `window` starts after the last gap.
 */
const toIndicatorColumns = ({ candles, tf }: ClosedBars) => {
  const newest = candles.at(-1)!
  const grid = placeOnGrid(toColumns(candles), candles[0]!.time, newest.time + durationMs[tf], durationMs[tf])
  const averagedBars = getBars(grid, 0, grid.time.length)
  return {
    averaged: averagedBars,
    times: Float64Array.from(averagedBars.rows, (row) => grid.time[row]!),
    window: toColumns(afterLastHole(candles, durationMs[tf]))
  }
}

/** The values of an indicator with the opening times of their bars. */
export interface TimedValues {
  readonly times: Float64Array
  readonly values: Float64Array
}

const computeBands = ({ candles, tf }: ClosedBars) => {
  const parts = splitAtHoles(candles, durationMs[tf]).map((run) => {
    const { close, time } = toColumns(run)
    return { times: time, ...bollinger(close, 20, 2) }
  })
  const joinColumn = (of: (part: typeof parts[number]) => Float64Array): Float64Array =>
    Float64Array.from(parts.flatMap((part) => [...of(part)]))
  const times = joinColumn((part) => part.times)
  return {
    upper: { times, values: joinColumn(({ upper }) => upper) },
    middle: { times, values: joinColumn(({ middle }) => middle) },
    lower: { times, values: joinColumn(({ lower }) => lower) }
  }
}

/** Returns the indicator values for all candles of a chart, with NaN before the first value. */
export const makeIndicatorSeries = (bars: ClosedBars) => {
  const { averaged: { close, gapAdjusted }, times } = toIndicatorColumns(bars)
  const withTimes = (values: Float64Array): TimedValues => ({ times, values })
  return {
    ema: (n: 20 | 50 | 200) => withTimes(ema(close, n)),
    rsi: () => withTimes(rsi(gapAdjusted.close, 14)),
    macd: () => {
      const { histogram, line, signal } = macd(close, 12, 26, 9)
      return { line: withTimes(line), signal: withTimes(signal), histogram: withTimes(histogram) }
    },
    bollinger: () => computeBands(bars)
  }
}

/** Returns the average true range (14) at the newest candle. */
export const computeAtr = (bars: ClosedBars): number | null => {
  const { gapAdjusted } = toIndicatorColumns(bars).averaged
  return lastValue(atr(gapAdjusted.high, gapAdjusted.low, gapAdjusted.close, 14))
}

/** Returns the indicators at the newest candle, as `get_indicators` reports them. */
export const computeIndicators = (bars: ClosedBars) => {
  const { averaged: { close: closes, gapAdjusted }, window: { close, high, low } } = toIndicatorColumns(bars)
  const newest = bars.candles.at(-1)!
  const { line, signal } = macd(closes, 12, 26, 9)
  const bands = bollinger(close, 20, 2)
  // The values are rounded as in the result, so that a reader can reproduce the width and the position.
  const upper = roundPrice(lastValue(bands.upper))
  const middle = roundPrice(lastValue(bands.middle))
  const lower = roundPrice(lastValue(bands.lower))
  const movement = adx(gapAdjusted.high, gapAdjusted.low, gapAdjusted.close, 14)
  const range = lastValue(atr(gapAdjusted.high, gapAdjusted.low, gapAdjusted.close, 14))
  const slow = stochastic(high, low, close, 14, 3, 3)
  const width = upper === null || lower === null ? null : upper - lower
  return {
    rsi: lastValue(rsi(gapAdjusted.close, 14)),
    macd: toMacdRow(lastValue(line), lastValue(signal)),
    momentum_pct: lastValue(roc(close, 10)),
    range_position_pct: lastValue(rangePosition(high, low, close, 20)),
    ema: { "20": lastValue(ema(closes, 20)), "50": lastValue(ema(closes, 50)), "200": lastValue(ema(closes, 200)) },
    bollinger: {
      upper,
      middle,
      lower,
      width_pct: width === null || middle === null ? null : finiteOrNull((width / middle) * 100),
      position_pct: width === null || lower === null ? null : finiteOrNull(((newest.close - lower) / width) * 100)
    },
    adx: lastValue(movement.adx),
    plus_di: lastValue(movement.plusDi),
    minus_di: lastValue(movement.minusDi),
    atr: range,
    atr_pct: range === null ? null : (range / newest.close) * 100,
    stochastic: { k: lastValue(slow.k), d: lastValue(slow.d) }
  }
}

/** Returns the indicators that `screen_coins` filters by, from 1h candles. */
export const computeScreenedIndicators = (bars: ClosedBars) => {
  const { atr_pct, range_position_pct, rsi } = computeIndicators(bars)
  return { rsi, atr_pct, range_position_pct }
}
