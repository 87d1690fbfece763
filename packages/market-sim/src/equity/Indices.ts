/** Indices: sums of their members, the volatility index, and futures. */
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
import { futuresSession } from "./futureHours.ts"
import { IndexSeries, type Member, stepSeconds } from "./IndexSeries.ts"
import type { Listed } from "./listed.ts"
import { type IndexSpec, indexSpecs, isMember } from "./stocks.ts"

const sessionsPerYear = 252
const vixName = "VIX"

export interface IndicesOptions {
  readonly seed: number | string
  readonly firstId: number
  readonly cache: SeriesCache
  readonly key: (name: string) => Key
  /** All stocks of a country. */
  readonly members: (country: EquityCountry) => ReadonlyArray<Listed>
  /** The time at which the indices have the levels of their table. */
  readonly reference: number
  readonly listedAt: number
}

interface Index {
  readonly spec: IndexSpec
  readonly market: EquityMarket
  readonly series: IndexSeries
}

/** The close of the session before the one of a time. In the first session, it is the price at that time. */
const beforeOf = (market: EquityMarket, time: number): number => market.previousClose(time) ?? market.price(time)

export class Indices {
  readonly #indices: ReadonlyMap<string, Index>
  readonly #key: (name: string) => Key
  readonly #listedAt: number
  readonly #vixCandles = new BoundedCache<Candle>(1_024)
  readonly #variances = new BoundedCache<number>(2_048)

  constructor(options: IndicesOptions) {
    const { cache, firstId, key, listedAt, members, reference, seed } = options
    this.#key = key
    this.#listedAt = listedAt
    this.#indices = new Map(indexSpecs.map((spec, i) => {
      const series = new IndexSeries({
        seed,
        id: firstId + i,
        spec,
        reference,
        cache,
        members: (): ReadonlyArray<Member> =>
          members(spec.country)
            .filter(({ spec: stock }) => isMember(spec, stock))
            .map(({ spec: { shares }, market }) => ({ market, weight: spec.weighting === "price" ? 1 : shares }))
      })
      const market = new EquityMarket({
        name: spec.index,
        country: spec.country,
        series,
        actions: [],
        reference,
        listedAt,
        valueUnit: 1,
        isKoreanStock: false,
        hasVolume: false,
        calculated: { sumAt: (time) => series.sumAt(time), everyMs: stepSeconds * 1000 }
      })
      return [spec.index, { spec, market, series }] as const
    }))
  }

  /** The market of an index. VIX has no market, because it is not a price. */
  market(index: string): EquityMarket | undefined {
    return this.#indices.get(index)?.market
  }

  /**
   * The volatility index at a time within or after a session, in annualised percent. It is the past volatility of the
   * S&P, pulled to its long mean. A risk premium and recent falls raise it.
   */
  vix(time: number): number {
    const spx = this.#indices.get("SPX")!
    const session = lastSession("US", time)
    const at = spx.market.lastTradeAt(time)
    const variance = 0.6 * this.#realised(spx, session.day) + 0.4 * sessionsPerYear * spx.spec.dailySd ** 2
    const fall = Math.log(spx.market.price(at) / spx.market.price(at - 5 * dayMs))
    const noise = stationaryNoise(this.#key("vix"), at, 5 * minuteMs, 16 * dayMs)
    return Math.round(100 * 104 * Math.sqrt(variance) * Math.exp(-4 * fall + 0.05 * noise)) / 100
  }

  /** The annualised variance of the thirty days before a session. */
  #realised({ series }: Index, sessionDay: number): number {
    return this.#variances.get(sessionDay, () => {
      let sum = 0
      let weights = 0
      for (let day = sessionDay - 1, weight = 1; day >= sessionDay - 30; day--, weight *= 0.93) {
        sum += weight * series.day(day).variance
        weights += weight
      }
      return 365 * sum / weights
    })
  }

  /** The candle of one session. The candle of a closed session is computed once. */
  #vixCandle(session: TradingSession, now: number): Candle {
    return session.closeAt <= now
      ? this.#vixCandles.get(session.day, () => this.#vixOf(session, now))
      : this.#vixOf(session, now)
  }

  #vixOf(session: TradingSession, now: number): Candle {
    const end = this.lastTradeAt(vixName, Math.min(now, session.closeAt))
    const values: Array<number> = []
    for (let time = session.openAt; time < end; time += 15 * minuteMs) values.push(this.vix(time))
    values.push(this.vix(end))
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

  /** The daily candles of an index, including VIX. Undefined if the index is unknown. */
  history(index: string, count: number, now: number): ReadonlyArray<Candle> | undefined {
    if (index !== vixName) return this.market(index)?.lastCandles("1d", count, now, true)
    const candles: Array<Candle> = []
    let session = lastSession("US", now)
    while (candles.length < count && session.openAt >= this.#listedAt) {
      candles.push(this.#vixCandle(session, now))
      session = previousSession("US", session.day)
    }
    return candles.toReversed()
  }

  /** The last time up to `time` at which an index was calculated. VIX has the times of the S&P. */
  lastTradeAt(index: string, time: number): number {
    return (this.market(index) ?? this.#indices.get("SPX")!.market).lastTradeAt(time)
  }

  quotes(country: EquityCountry, now: number): ReadonlyArray<IndexQuote> {
    const quotes: Array<IndexQuote> = []
    for (const { spec, market } of this.#indices.values()) {
      if (spec.country !== country) continue
      const value = market.price(now)
      const previousClose = beforeOf(market, now)
      quotes.push({
        index: spec.index,
        name: spec.name,
        country,
        time: market.lastTradeAt(now),
        value,
        previousClose,
        changePct: 100 * (value / previousClose - 1)
      })
    }
    if (country === "US") {
      const session = lastSession("US", now)
      const value = this.vix(now)
      const previousClose = this.vix(previousSession("US", session.day).closeAt)
      quotes.push({
        index: vixName,
        name: "CBOE Volatility Index",
        country,
        time: this.lastTradeAt(vixName, now),
        value,
        previousClose,
        changePct: 100 * (value / previousClose - 1)
      })
    }
    return quotes
  }

  /** Index futures, which follow the path during their own hours and include some interest. */
  futures(country: EquityCountry, now: number): ReadonlyArray<IndexQuote> {
    const quotes: Array<IndexQuote> = []
    const session = futuresSession(country, now)
    const time = Math.floor(session.time / minuteMs) * minuteMs
    for (const { spec, market } of this.#indices.values()) {
      if (spec.country !== country || spec.future === null) continue
      const { name, scale, symbol, tick } = spec.future
      const carry = 1.004
      const priced = (index: number): number => Number((Math.round(index * scale * carry / tick) * tick).toFixed(2))
      const value = priced(market.futurePrice(time))
      // A session of the future begins after the index's close and ends after the next close.
      const previousClose = priced(market.price(session.startAt))
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
