/**
 * Candles: what happened to a price and its volume within one interval.
 */

/**
 * One candle of the half-open interval `[time, time + duration)`.
 *
 * `low <= min(open, close)` and `max(open, close) <= high`. A coarser candle is exactly (to the last
 * digit) its finer ones added up: first open, last close, highest high, lowest low, sums of the volumes.
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
  /** The part of `volume` whose aggressor bought; 0 to `volume`. */
  readonly takerBuyVolume: number
  /** False while the interval still runs: then `close` is the newest price and the rest may still grow. */
  readonly closed: boolean
}

/**
 * The candle that the given ones make together: they belong to one interval and come oldest first.
 * `time` is the opening instant of the result; it is closed when `closed` says so (its last part must be).
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
    takerBuyVolume += part.takerBuyVolume
    close = part.close
  }
  return { time, open: parts[0].open, high, low, close, volume, quoteVolume, takerBuyVolume, closed }
}
