import { bucketStart, durationMs, type Timeframe } from "./timeframe.ts"

/**
 * A candle of the half-open interval `[time, time + duration)`, with `low <= min(open, close)` and
 * `max(open, close) <= high`.
 */
export interface Candle {
  /** The opening time of the candle, in epoch milliseconds. */
  readonly time: number
  /** The first price, in the instrument's quote currency (USD for coins and US stocks, KRW for Korean stocks). */
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** The traded amount in units of the instrument: coins or shares. */
  readonly volume: number
  /** The traded value in the quote currency. */
  readonly quoteVolume: number
  /** The part of `volume` that takers bought; null if the source does not report whether takers bought or sold. */
  readonly takerBuyVolume: number | null
  /**
   * Whether the candle's interval has ended. Before the interval ends, `close` is the newest price, and all values may
   * change.
   */
  readonly closed: boolean
}

/**
 * Merges the candles of one interval, oldest first. `closed` may be true only if the last of the merged candles is
 * closed. The taker volume is null if the taker volume of any candle is null.
 */
export const mergeCandles = (
  time: number,
  parts: readonly [Candle, ...ReadonlyArray<Candle>],
  closed: boolean
): Candle => {
  let { high, low, volume, quoteVolume, takerBuyVolume, close } = parts[0]
  for (const part of parts.slice(1)) {
    high = Math.max(high, part.high)
    low = Math.min(low, part.low)
    volume += part.volume
    quoteVolume += part.quoteVolume
    takerBuyVolume = takerBuyVolume === null || part.takerBuyVolume === null
      ? null
      : takerBuyVolume + part.takerBuyVolume
    close = part.close
  }
  return { time, open: parts[0].open, high, low, close, volume, quoteVolume, takerBuyVolume, closed }
}

const baseCandleMs = durationMs["5m"]

/**
 * The options of `foldCandles`. `until` is the present, and `lagMs` is the delay with which the source records candles.
 */
export interface FoldOptions {
  readonly until: number
  readonly listedAt?: number
  readonly delistedAt?: number | null
  readonly lagMs?: number
}

/**
 * The 5-minute candles of one interval: the opening times of the first and the last candle, and the number of candles.
 */
export interface CandleParts {
  readonly firstAt: number
  readonly lastAt: number
  readonly parts: number
  /** Whether the last 5-minute candle is closed. */
  readonly closed: boolean
}

/**
 * Returns the state of the interval that opens at `start`. The state `incomplete` means that the interval has no
 * candle.
 */
export const candleState = (
  start: number,
  timeframe: Timeframe,
  { closed: isLastClosed, firstAt, lastAt, parts }: CandleParts,
  { delistedAt, lagMs = baseCandleMs, listedAt, until }: FoldOptions
): "closed" | "open" | "incomplete" => {
  const from = Math.max(start, bucketStart("5m", listedAt ?? start))
  const to = Math.min(start + durationMs[timeframe], delistedAt ?? Infinity)
  if (firstAt !== from || lastAt !== firstAt + (parts - 1) * baseCandleMs) return "incomplete"
  const next = lastAt + baseCandleMs
  if (to <= until) return isLastClosed && next >= to ? "closed" : "incomplete"
  return !isLastClosed || next + baseCandleMs + lagMs > until ? "open" : "incomplete"
}

/**
 * Computes candles of a longer timeframe exactly from 5-minute candles, oldest first.
 *
 * An interval with a missing 5-minute candle has no candle, because its range and volume are unknown. Candles before
 * the listing and after the delisting do not count as missing. An interval that contains the delisting ends at the
 * delisting. The interval that contains `until` has an open candle. The open candle merges the 5-minute candles up to
 * `until`, if none of them is missing.
 *
 * A 5-minute candle counts as missing if the source has not recorded it `lagMs` after its end. The default of `lagMs`,
 * 5 minutes, suits sources that record candles some seconds after their end. A slower source must set a longer `lagMs`;
 * otherwise, it has no open candles. A source that records candles immediately sets `lagMs` to 0.
 */
export const foldCandles = (
  baseCandles: ReadonlyArray<Candle>,
  timeframe: Timeframe,
  options: FoldOptions
): ReadonlyArray<Candle> => {
  const length = durationMs[timeframe]
  const result: Array<Candle> = []
  for (let i = 0; i < baseCandles.length;) {
    const first = baseCandles[i]!
    const start = bucketStart(timeframe, first.time)
    let end = i + 1
    while (end < baseCandles.length && baseCandles[end]!.time < start + length) end++
    const parts = baseCandles.slice(i + 1, end)
    i = end
    const last = parts.at(-1) ?? first
    const partsInfo = { firstAt: first.time, lastAt: last.time, parts: parts.length + 1, closed: last.closed }
    const state = candleState(start, timeframe, partsInfo, options)
    if (state !== "incomplete") result.push(mergeCandles(start, [first, ...parts], state === "closed"))
  }
  return result
}

/** Returns the number of missing intervals between the first and the last candle. */
export const countMissingCandles = (candles: ReadonlyArray<Pick<Candle, "time">>, stepMs: number): number => {
  const first = candles[0]
  const last = candles[candles.length - 1]
  return first === undefined || last === undefined
    ? 0
    : Math.round((last.time - first.time) / stepMs) + 1 - candles.length
}

/** Splits candles into runs of consecutive candles. */
export const splitAtHoles = <C extends Pick<Candle, "time">>(
  candles: ReadonlyArray<C>,
  stepMs: number
): ReadonlyArray<ReadonlyArray<C>> => {
  const runs: Array<ReadonlyArray<C>> = []
  for (let from = 0; from < candles.length;) {
    let end = from + 1
    while (end < candles.length && candles[end]!.time - candles[end - 1]!.time === stepMs) end++
    runs.push(candles.slice(from, end))
    from = end
  }
  return runs
}

/** Returns the candles after the last missing candle. Indicators need candles without holes. */
export const afterLastHole = <C extends Pick<Candle, "time">>(
  candles: ReadonlyArray<C>,
  stepMs: number
): ReadonlyArray<C> => {
  let from = candles.length - 1
  while (from > 0 && candles[from]!.time - candles[from - 1]!.time === stepMs) from--
  return from <= 0 ? candles : candles.slice(from)
}
