/** The simulated spot market of a coin, with prices in USD, volumes in coins and USD, and times in milliseconds. */
import { bucketStart, type Candle, dayMs, durationMs, type Timeframe } from "@tapeline/core/market"
import { BoundedCache } from "../kernel/cache.ts"
import type { Bar } from "../path/bar.ts"
import type { RegimeLabel } from "../path/days.ts"
import type { Interval, Sum } from "../path/Series.ts"
import { type CoinSeries, dayOf, getWholeDaySegment } from "./coinSeries.ts"

/** The prices and volumes of an interval; `takerBuyVolume` is never null. */
export type Totals = { readonly [K in Exclude<keyof Candle, "time" | "closed">]: number }

/** A large price move within one candle. */
export interface PriceMove {
  readonly time: number
  readonly endAt: number
  readonly from: number
  readonly to: number
  /** The log return from the open to the close of the candle. */
  readonly change: number
}

/** The number of days whose five-minute closes are cached. */
// The liquidations of one day need the closes of two days.
const cachedCloseDays = 4

const toSeconds = (time: number): number => Math.floor(time / 1000)

export class CoinMarket {
  readonly #coin: CoinSeries
  readonly #closes = new BoundedCache<ReadonlyArray<number>>(cachedCloseDays)

  constructor(coin: CoinSeries) {
    this.#coin = coin
  }

  get spec(): CoinSeries["spec"] {
    return this.#coin.spec
  }

  get listedAt(): number {
    return this.#coin.listedAt
  }

  get decimals(): number {
    return this.#coin.decimals
  }

  #getDayBar(day: number): Bar {
    return this.#coin.series.getSegment(day, getWholeDaySegment(day), 0)
  }

  *#getDayBars(from: number, to: number): Iterable<Bar> {
    for (let day = dayOf(from); day * dayMs < to; day++) yield this.#getDayBar(day)
  }

  #totals(sum: Sum): Totals {
    const { price, volumeUnit, valueUnit } = this.#coin
    return {
      open: price(sum.open),
      high: price(sum.high),
      low: price(sum.low),
      close: price(sum.close),
      volume: sum.volume * volumeUnit,
      quoteVolume: sum.value * valueUnit,
      takerBuyVolume: sum.takerBuyVolume * volumeUnit
    }
  }

  /** Returns the price in USD, which changes only at whole seconds. */
  price(time: number): number {
    return this.#coin.price(this.logPrice(time))
  }

  /** Returns the natural logarithm of the price before rounding to the tick size. */
  logPrice(time: number): number {
    const day = dayOf(time)
    const second = toSeconds(time)
    if (second * 1000 === day * dayMs) return this.#coin.series.getDay(day).open
    return this.#coin.series.getLogPrice(this.#getDayBar(day), second)
  }

  /** Returns the log price at the end of each five minutes of a day. */
  getFiveMinuteCloses(day: number): ReadonlyArray<number> {
    return this.#closes.get(day, () => this.#coin.series.getCloses(this.#getDayBar(day), durationMs["5m"] / 1000))
  }

  #makeCandle(root: Bar, interval: Interval, now: number): Candle {
    const time = interval.start * 1000
    if (time + interval.seconds * 1000 <= now) return { time, ...this.#totals(interval), closed: true }
    const price = this.price(now)
    const sum = this.#coin.series.sumInterval([root], interval.start, toSeconds(now))
    if (sum === undefined) {
      return {
        time,
        open: price,
        high: price,
        low: price,
        close: price,
        volume: 0,
        quoteVolume: 0,
        takerBuyVolume: 0,
        closed: false
      }
    }
    return { time, ...this.#totals(sum), closed: false }
  }

  /** Returns the candles that open within `[from, to)` and not after `now`; the last candle can be open. */
  candles(timeframe: Timeframe, from: number, to: number, now: number): ReadonlyArray<Candle> {
    const length = durationMs[timeframe]
    const first = Math.max(bucketStart(timeframe, from - 1) + length, this.listedAt)
    const end = Math.min(to, now + 1)
    const candles: Array<Candle> = []
    for (const root of this.#getDayBars(first, end)) {
      for (const interval of this.#coin.series.getIntervals(root, length / 1000, first / 1000, end / 1000)) {
        candles.push(this.#makeCandle(root, interval, now))
      }
    }
    return candles
  }

  /** Returns the newest `count` candles at `now`, including the open candle. */
  lastCandles(timeframe: Timeframe, count: number, now: number): ReadonlyArray<Candle> {
    const from = bucketStart(timeframe, now) - (count - 1) * durationMs[timeframe]
    return this.candles(timeframe, from, now + 1, now)
  }

  /**
   * Returns the prices and volumes of the whole seconds in `[from, to)`, without the time before the listing. Returns
   * undefined if no whole seconds remain.
   */
  totals(from: number, to: number): Totals | undefined {
    const begin = Math.max(from, this.listedAt)
    const sum = this.#coin.series.sumInterval(this.#getDayBars(begin, to), toSeconds(begin), toSeconds(to))
    return sum === undefined ? undefined : this.#totals(sum)
  }

  /**
   * Returns the annualised realised volatility of the last thirty days; 1 is 100 %. Recent days have a higher weight.
   */
  volatility(time: number): number {
    const today = dayOf(time)
    let sum = 0
    let weights = 0
    let weight = 1
    for (let day = today - 1; day >= today - 30; day--) {
      sum += weight * this.#coin.series.getDay(day).variance
      weights += weight
      weight *= 0.9
    }
    return Math.sqrt(365 * sum / weights)
  }

  /**
   * Returns the market regime at a time. The regime depends on future prices, so the service must not publish the
   * regime.
   */
  regime(time: number): { readonly label: RegimeLabel; readonly from: number; readonly to: number } {
    const { label, from, to } = this.#coin.series.getRegime(dayOf(time))
    return { label, from: from * dayMs, to: to * dayMs }
  }

  /** Returns the closed candles within `[from, to)` whose absolute log return is at least `minChange`. */
  findMoves(timeframe: Timeframe, from: number, to: number, minChange: number): ReadonlyArray<PriceMove> {
    const seconds = durationMs[timeframe] / 1000
    const foundMoves: Array<PriceMove> = []
    const { price, series } = this.#coin
    for (const root of this.#getDayBars(Math.max(from, this.listedAt), to)) {
      if (root.high - root.low < minChange) continue
      for (
        const { start, seconds: length, open, close } of series.getIntervals(root, seconds, from / 1000, to / 1000)
      ) {
        const time = start * 1000
        const endAt = time + length * 1000
        if (time < from || endAt > to || Math.abs(close - open) < minChange) continue
        foundMoves.push({ time, endAt, from: price(open), to: price(close), change: close - open })
      }
    }
    return foundMoves
  }
}
