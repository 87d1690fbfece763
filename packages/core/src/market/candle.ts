/**
 * Candles: what happened to a price and its volume within one interval.
 */
import { bucketStart, durationMs, type Timeframe } from "./timeframe.ts"

/**
 * One candle of the half-open interval `[time, time + duration)`.
 *
 * `low <= min(open, close)` and `max(open, close) <= high`. A coarser candle is exactly (to the last
 * digit) the 5-minute ones added up, by `foldCandles`: first open, last close, highest high, lowest low, sums of the
 * volumes.
 */
export interface Candle {
  /** Opening instant, epoch milliseconds. */
  readonly time: number
  /** Prices in the instrument's quote currency (USD for coins and US stocks, KRW for Korean ones). */
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** Traded amount in units of the instrument: coins or shares. */
  readonly volume: number
  /** Traded value in the quote currency. */
  readonly quoteVolume: number
  /** The part of `volume` whose aggressor bought; 0 to `volume`. Null where the source does not tell who did. */
  readonly takerBuyVolume: number | null
  /** False while the interval still runs: then `close` is the newest price and the rest may still grow. */
  readonly closed: boolean
}

/**
 * The candle that the given ones make together: they belong to one interval and come oldest first.
 * `time` is the opening instant of the result; it is closed when `closed` says so (its last part must be).
 * Taker volume is known only where that of every part is.
 */
export const addUp = (
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

const fineMs = durationMs["5m"]

/** What is known of a coin's life and of the present where its candles are judged. */
export interface CandleLife {
  readonly until: number
  readonly listedAt?: number
  readonly delistedAt?: number | null
  readonly lagMs?: number
}

/** The 5-minute parts of one interval: the openings of the first and the last one, and how many there are. */
export interface CandleParts {
  readonly firstAt: number
  readonly lastAt: number
  readonly parts: number
  /** Whether the last one is over. */
  readonly closed: boolean
}

/** Whether the parts of the interval that opens at `start` make a candle, by the rules of `foldCandles`, and which. */
export const candleState = (
  start: number,
  timeframe: Timeframe,
  { closed: lastIsOver, firstAt, lastAt, parts }: CandleParts,
  { delistedAt, lagMs = fineMs, listedAt, until }: CandleLife
): "closed" | "open" | "holed" => {
  const from = Math.max(start, bucketStart("5m", listedAt ?? start))
  const to = Math.min(start + durationMs[timeframe], delistedAt ?? Infinity)
  if (firstAt !== from || lastAt !== firstAt + (parts - 1) * fineMs) return "holed"
  const next = lastAt + fineMs
  if (to <= until) return lastIsOver && next >= to ? "closed" : "holed"
  return !lastIsOver || next + fineMs + lagMs > until ? "open" : "holed"
}

/**
 * Coarse candles out of 5-minute ones (oldest first): what "aggregates exactly" means for every adapter, and how one
 * that stores only the fine ones answers for the others.
 *
 * An interval whose parts are not all there has no candle: its extremes and its volume are not known, and a smaller sum
 * would be taken for one. Parts before `listedAt` and from `delistedAt` on are not missed: an interval that
 * holds the end of its market is over with it. The interval that holds `until` is open: it is made of its parts so far,
 * when none is missing between them or after them. A part is missing `lagMs` after its end: a source that records parts
 * seconds after they closed need not say so (by default a part is waited for as long as it lasts), a slower one must,
 * or it has no open candles; one that records as it happens gives 0.
 */
export const foldCandles = (
  fine: ReadonlyArray<Candle>,
  timeframe: Timeframe,
  life: CandleLife
): ReadonlyArray<Candle> => {
  const length = durationMs[timeframe]
  const folded: Array<Candle> = []
  for (let i = 0; i < fine.length;) {
    const first = fine[i]!
    const start = bucketStart(timeframe, first.time)
    let end = i + 1
    while (end < fine.length && fine[end]!.time < start + length) end++
    const parts = fine.slice(i + 1, end)
    i = end
    const last = parts.at(-1) ?? first
    const known = { firstAt: first.time, lastAt: last.time, parts: parts.length + 1, closed: last.closed }
    const state = candleState(start, timeframe, known, life)
    if (state !== "holed") folded.push(addUp(start, [first, ...parts], state === "closed"))
  }
  return folded
}

/** Intervals that are missing between the first and the last of some candles on a grid. */
export const holesIn = (candles: ReadonlyArray<Pick<Candle, "time">>, stepMs: number): number => {
  const first = candles[0]
  const last = candles[candles.length - 1]
  return first === undefined || last === undefined
    ? 0
    : Math.round((last.time - first.time) / stepMs) + 1 - candles.length
}

/** Candles by runs of neighbours in time: a hole ends one. */
export const runsOf = <C extends Pick<Candle, "time">>(
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

/** The candles after the last hole: neighbours in time, as windows of bars suppose. */
export const afterLastHole = <C extends Pick<Candle, "time">>(
  candles: ReadonlyArray<C>,
  stepMs: number
): ReadonlyArray<C> => {
  let from = candles.length - 1
  while (from > 0 && candles[from]!.time - candles[from - 1]!.time === stepMs) from--
  return from <= 0 ? candles : candles.slice(from)
}
