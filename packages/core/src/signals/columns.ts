import type { Candle } from "../market/candle.ts"

/** A series of candles by column, oldest first. Units are the candles'. */
export interface Columns {
  /** Opening instants, epoch ms. */
  readonly time: Float64Array
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  readonly volume: Float64Array
  /** NaN where it is not known. */
  readonly takerBuyVolume: Float64Array
}

/** The closed candles of a series: what indicators may stand on. */
export const closedOnly = (candles: ReadonlyArray<Candle>): ReadonlyArray<Candle> =>
  candles.length > 0 && !candles[candles.length - 1]!.closed ? candles.slice(0, -1) : candles

export const columnsOf = (candles: ReadonlyArray<Candle>): Columns => {
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

/** The index of the first of `sorted` (by ascending `time`) that is not before `time`; its length when all are. */
export const firstFrom = (sorted: ReadonlyArray<{ readonly time: number }>, time: number): number => {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]!.time < time) low = middle + 1
    else high = middle
  }
  return low
}

/** The rows `[start, end)` of columns, which share their memory. */
export const rowsOf = (columns: Columns, start: number, end: number): Columns => ({
  time: columns.time.subarray(start, end),
  open: columns.open.subarray(start, end),
  high: columns.high.subarray(start, end),
  low: columns.low.subarray(start, end),
  close: columns.close.subarray(start, end),
  volume: columns.volume.subarray(start, end),
  takerBuyVolume: columns.takerBuyVolume.subarray(start, end)
})

/** As `firstFrom`, of a column of ascending times. */
export const indexFrom = (times: Float64Array, time: number): number => {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle]! < time) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * How many candles lie behind each one without a hole between: a window of `n` bars that ends at `i` is `n` bars of
 * time where `behind[i] >= n - 1`.
 */
export const behindEach = (opens: Float64Array, stepMs: number): Int32Array => {
  const behind = new Int32Array(opens.length)
  for (let i = 1; i < opens.length; i++) {
    const sinceLast = opens[i]! - opens[i - 1]!
    behind[i] = sinceLast === stepMs ? behind[i - 1]! + 1 : 0
  }
  return behind
}

/**
 * Closes with the moves across holes taken out, so that each return between two of them is one of `stepMs`. The closes
 * themselves where there are no holes.
 */
export const closesWithoutHoles = (candles: ReadonlyArray<Candle>, stepMs: number): ReadonlyArray<number> => {
  const closes: Array<number> = []
  let factor = 1
  for (const [i, { close, time }] of candles.entries()) {
    const before = candles[i - 1]
    if (before !== undefined && time - before.time !== stepMs) factor = closes[closes.length - 1]! / close
    else closes.push(close * factor)
  }
  return closes
}
