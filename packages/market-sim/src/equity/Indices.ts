/** The simulated indices: weighted sums of stocks, the volatility index VIX, and index futures. */
import {
  type Candle,
  dayMs,
  type EquityCountry,
  type IndexQuote,
  lastSession,
  minuteMs,
  previousSession,
  type TradingSession
} from "@tapeline/core/market"
import { BoundedCache } from "../kernel/cache.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import type { Key } from "../kernel/random.ts"
import type { SeriesCache } from "../path/Series.ts"
import { EquityMarket } from "./EquityMarket.ts"
import { getFuturesSession } from "./futuresSessions.ts"
import { type IndexMember, IndexSeries, stepSeconds } from "./IndexSeries.ts"
import { type IndexSpec, indexSpecs, isMember } from "./stocks.ts"
import type { StockWithMarket } from "./stockWithMarket.ts"

const sessionsPerYear = 252
export const vixName = "VIX"

export interface IndicesOptions {
  readonly seed: number | string
  readonly firstId: number
  readonly cache: SeriesCache
  readonly key: (name: string) => Key
  readonly members: (country: EquityCountry) => ReadonlyArray<StockWithMarket>
  /** The time at which each index equals the level in its specification. */
  readonly referenceTime: number
  readonly listedAt: number
}

interface Index {
  readonly spec: IndexSpec
  readonly market: EquityMarket
  readonly series: IndexSeries
}

/** Returns the close of the session before `time`, or the current price in the first session. */
const getPreviousClose = (market: EquityMarket, time: number): number =>
  market.getPreviousClose(time) ?? market.price(time)

export class Indices {
  readonly #indices: ReadonlyMap<string, Index>
  readonly #key: (name: string) => Key
  readonly #listedAt: number
  readonly #vixCandles = new BoundedCache<Candle>(1_024)
  readonly #variances = new BoundedCache<number>(2_048)

  constructor(options: IndicesOptions) {
    const { cache, firstId, key, listedAt, members, referenceTime, seed } = options
    this.#key = key
    this.#listedAt = listedAt
    this.#indices = new Map(indexSpecs.map((spec, i) => {
      const series = new IndexSeries({
        seed,
        id: firstId + i,
        spec,
        referenceTime,
        cache,
        members: (): ReadonlyArray<IndexMember> =>
          members(spec.country)
            .filter(({ spec: stock }) => isMember(spec, stock))
            .map(({ spec: { shares }, market }) => ({ market, weight: spec.weighting === "price" ? 1 : shares }))
      })
      const market = new EquityMarket({
        name: spec.index,
        country: spec.country,
        series,
        actions: [],
        referenceTime,
        listedAt,
        valueUnit: 1,
        isKoreanStock: false,
        hasVolume: false,
        indexCalculation: { getLogLevel: (time) => series.getLogLevel(time), everyMs: stepSeconds * 1000 }
      })
      return [spec.index, { spec, market, series }] as const
    }))
  }

  /** Returns the market of an index, but undefined for VIX, because VIX is not a price. */
  getMarket(index: string): EquityMarket | undefined {
    return this.#indices.get(index)?.market
  }

  /** Returns the volatility index VIX in percent, from the past volatility of the S&P 500 and recent price falls. */
  computeVix(time: number): number {
    const spx = this.#indices.get("SPX")!
    const session = lastSession("US", time)
    const lastTradeTime = spx.market.getLastTradeTime(time)
    const variance = 0.6 * this.#computeRealisedVariance(spx, session.day) +
      0.4 * sessionsPerYear * spx.spec.dailySd ** 2
    const recentLogReturn = Math.log(spx.market.price(lastTradeTime) / spx.market.price(lastTradeTime - 5 * dayMs))
    const noise = stationaryNoise(this.#key("vix"), lastTradeTime, 5 * minuteMs, 16 * dayMs)
    return Math.round(100 * 104 * Math.sqrt(variance) * Math.exp(-4 * recentLogReturn + 0.05 * noise)) / 100
  }

  /** Returns the exponentially weighted annualised variance of the thirty days before a session. */
  #computeRealisedVariance({ series }: Index, sessionDay: number): number {
    return this.#variances.get(sessionDay, () => {
      let sum = 0
      let weights = 0
      for (let day = sessionDay - 1, weight = 1; day >= sessionDay - 30; day--, weight *= 0.93) {
        sum += weight * series.getDay(day).variance
        weights += weight
      }
      return 365 * sum / weights
    })
  }

  #getVixCandle(session: TradingSession, now: number): Candle {
    return session.closeAt <= now
      ? this.#vixCandles.get(session.day, () => this.#computeVixCandle(session, now))
      : this.#computeVixCandle(session, now)
  }

  #computeVixCandle(session: TradingSession, now: number): Candle {
    const end = this.getLastTradeTime(vixName, Math.min(now, session.closeAt))
    const values: Array<number> = []
    for (let time = session.openAt; time < end; time += 15 * minuteMs) values.push(this.computeVix(time))
    values.push(this.computeVix(end))
    return {
      time: session.openAt,
      open: values[0]!,
      high: Math.max(...values),
      low: Math.min(...values),
      close: values.at(-1)!,
      volume: 0,
      quoteVolume: 0,
      takerBuyVolume: 0,
      closed: session.closeAt <= now
    }
  }

  /** Returns the daily candles of an index, including VIX, or undefined if the index is unknown. */
  getHistory(index: string, count: number, now: number): ReadonlyArray<Candle> | undefined {
    return index === vixName
      ? [...this.iterateVixCandles(count, now)].toReversed()
      : this.getMarket(index)?.getLastCandles("1d", count, now, true)
  }

  /** Yields at most `count` daily candles of VIX, newest first. Each candle takes some milliseconds. */
  *iterateVixCandles(count: number, now: number): Generator<Candle> {
    let session = lastSession("US", now)
    for (let i = 0; i < count && session.openAt >= this.#listedAt; i++) {
      yield this.#getVixCandle(session, now)
      session = previousSession("US", session.day)
    }
  }

  /** Returns the last time up to `time` at which an index was calculated; VIX is calculated with the S&P 500. */
  getLastTradeTime(index: string, time: number): number {
    return (this.getMarket(index) ?? this.#indices.get("SPX")!.market).getLastTradeTime(time)
  }

  getQuotes(country: EquityCountry, now: number): ReadonlyArray<IndexQuote> {
    const quotes: Array<IndexQuote> = []
    for (const { spec, market } of this.#indices.values()) {
      if (spec.country !== country) continue
      const value = market.price(now)
      const previousClose = getPreviousClose(market, now)
      quotes.push({
        index: spec.index,
        name: spec.name,
        country,
        time: market.getLastTradeTime(now),
        value,
        previousClose,
        changePct: 100 * (value / previousClose - 1)
      })
    }
    if (country === "US") {
      const session = lastSession("US", now)
      const value = this.computeVix(now)
      const previousClose = this.computeVix(previousSession("US", session.day).closeAt)
      quotes.push({
        index: vixName,
        name: "CBOE Volatility Index",
        country,
        time: this.getLastTradeTime(vixName, now),
        value,
        previousClose,
        changePct: 100 * (value / previousClose - 1)
      })
    }
    return quotes
  }

  /**
   * Returns the quotes of index futures. The futures have their own trading hours, and their prices include interest.
   */
  getFutures(country: EquityCountry, now: number): ReadonlyArray<IndexQuote> {
    const quotes: Array<IndexQuote> = []
    const session = getFuturesSession(country, now)
    const time = Math.floor(session.time / minuteMs) * minuteMs
    for (const { spec, market } of this.#indices.values()) {
      if (spec.country !== country || spec.future === null) continue
      const { name, scale, symbol, tick } = spec.future
      const carry = 1.004
      const toFuturePrice = (index: number): number =>
        Number((Math.round(index * scale * carry / tick) * tick).toFixed(2))
      const value = toFuturePrice(market.getFuturePrice(time))
      // A futures session starts after one close of the index and ends after the next close.
      const previousClose = toFuturePrice(market.price(session.startAt))
      quotes.push({
        index: symbol,
        name,
        country,
        time,
        value,
        previousClose,
        changePct: 100 * (value / previousClose - 1)
      })
    }
    return quotes
  }
}
