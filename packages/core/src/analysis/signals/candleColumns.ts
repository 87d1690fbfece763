import { Schema } from "effect"
import { Column } from "../../engine/compute/job.ts"
import type { Candle } from "../../market/candle.ts"

/** A series of candles as one array per field, oldest first. Prices and volumes have the units of `Candle`. */
export interface Columns {
  /** The opening times of the candles, in epoch ms. */
  readonly time: Float64Array
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  readonly volume: Float64Array
  /** The volume of taker buys; NaN if unknown. */
  readonly takerBuyVolume: Float64Array
}

/** Returns the closed candles of a series. Indicators use only closed candles. */
export const filterClosed = <Bar extends Pick<Candle, "closed">>(candles: ReadonlyArray<Bar>): ReadonlyArray<Bar> =>
  candles.length > 0 && !candles[candles.length - 1]!.closed ? candles.slice(0, -1) : candles

export const toColumns = (candles: ReadonlyArray<Candle>): Columns => {
  const n = candles.length
  const columns: Columns = {
    time: new Float64Array(n),
    open: new Float64Array(n),
    high: new Float64Array(n),
    low: new Float64Array(n),
    close: new Float64Array(n),
    volume: new Float64Array(n),
    takerBuyVolume: new Float64Array(n)
  }
  for (let i = 0; i < n; i++) {
    const candle = candles[i]!
    columns.time[i] = candle.time
    columns.open[i] = candle.open
    columns.high[i] = candle.high
    columns.low[i] = candle.low
    columns.close[i] = candle.close
    columns.volume[i] = candle.volume
    columns.takerBuyVolume[i] = candle.takerBuyVolume ?? NaN
  }
  return columns
}

/**
 * Returns the index of the first element at or after `time`, or the array's length if no such element exists. `sorted`
 * must ascend by `time`.
 */
export const findFirstIndex = (sorted: ReadonlyArray<{ readonly time: number }>, time: number): number => {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]!.time < time) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Scales the closes so that no price move spans a gap. The return between two consecutive closes always spans one
 * `stepMs`.
 */
export const getGapAdjustedCloses = (candles: ReadonlyArray<Candle>, stepMs: number): ReadonlyArray<number> => {
  const closes: Array<number> = []
  let factor = 1
  for (const [i, { close, time }] of candles.entries()) {
    const previous = candles[i - 1]
    if (previous !== undefined && time - previous.time !== stepMs) factor = closes[closes.length - 1]! / close
    else closes.push(close * factor)
  }
  return closes
}

export const CandleColumns = Schema.Struct({
  time: Column,
  open: Column,
  high: Column,
  low: Column,
  close: Column,
  volume: Column,
  takerBuyVolume: Column
})
