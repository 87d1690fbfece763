/**
 * The stock markets of the world: quotes, indices, volatility index, market summaries.
 */
import {
  type Candle,
  dayMs,
  type EquityCountry,
  type EquityMarketSummary,
  hourMs,
  type IndexQuote,
  minuteMs,
  type StockQuote
} from "@tapeline/core/market"
import { BoundedCache } from "./cache.ts"
import { actionsOf, factorsAt, historyOf } from "./corporate.ts"
import { fiscalOf, lastReported } from "./equity-facts/fiscal.ts"
import { trailingEps } from "./equity-facts/statements.ts"
import { EquityMarket } from "./equityMarket.ts"
import { makeEquitySeries } from "./equitySeries.ts"
import { dayNumber, lastSession, previousSession, sessionState, type TradingSession } from "./exchangeHours.ts"
import { stationaryNoise } from "./noise.ts"
import { type Key, normal } from "./random.ts"
import type { Series, SeriesCache } from "./series.ts"
import { type IndexSpec, indexSpecs, type StockSpec, stockSpecs } from "./stocks.ts"
import { bookValue, growthOf } from "./valuation.ts"

/** 2026-01-01: when levels and share counts of the universe are meant. */
const reference = dayNumber(2026, 1, 1) * dayMs
const listedAt = dayNumber(2020, 1, 2) * dayMs
/** Share of a company that changes hands in a typical day. */
const turnoverRate = 0.0045
const sessionsPerYear = 252
const vixName = "VIX"

interface Listed {
  readonly spec: StockSpec
  readonly market: EquityMarket
}

export class Equities {
  /** Stocks are made when they are first asked for: their corporate actions need years of calendars. */
  readonly #stocks = new Map<string, Listed>()
  readonly #makeStock: (spec: StockSpec, i: number) => Listed
  readonly #indices: ReadonlyMap<
    string,
    { readonly spec: IndexSpec; readonly market: EquityMarket; readonly series: Series }
  >
  readonly #key: (name: string) => Key
  readonly #ranges = new BoundedCache<{ readonly low: number; readonly high: number }>(512)

  constructor(seed: number | string, firstId: number, cache: SeriesCache, key: (name: string) => Key) {
    this.#key = key
    this.#makeStock = (spec, i) => {
      const own = key(`stock ${spec.symbol}`)
      const actions = actionsOf(spec.country, spec.sector, own)
      const atReference = factorsAt(historyOf(actions), reference)
      const valueUnit = spec.country === "US" ? 1 / 64 : 1
      const turnover = spec.price * spec.shares * turnoverRate * Math.exp(0.5 * normal(own, 10))
      const series = makeEquitySeries({
        seed,
        id: firstId + i,
        name: spec.symbol,
        country: spec.country,
        level: spec.price,
        growth: growthOf(spec),
        dailySd: spec.dailySd,
        marketShare: spec.marketShare,
        sectorShare: 0.2,
        sector: spec.sector,
        // Volumes are counted in shares of before all splits; value is money, whatever the split.
        valueScale: atReference.shares / valueUnit,
        dailyVolume: (span) => turnover / (Math.exp(span.open) * atReference.shares),
        cache
      })
      const market = new EquityMarket({
        name: spec.symbol,
        country: spec.country,
        series,
        actions,
        reference,
        listedAt,
        valueUnit,
        koreanTicks: spec.country === "KR",
        hasVolume: true
      })
      return { spec, market }
    }
    this.#indices = new Map(indexSpecs.map((spec, i) => {
      const series = makeEquitySeries({
        seed,
        id: firstId + stockSpecs.length + i,
        name: spec.index,
        country: spec.country,
        level: spec.value,
        growth: 0.08,
        dailySd: spec.dailySd,
        marketShare: spec.marketShare,
        sectorShare: spec.sector === null ? 0 : (1 - spec.marketShare) * 0.7,
        sector: spec.sector,
        valueScale: 1,
        dailyVolume: () => 1,
        cache
      })
      const market = new EquityMarket({
        name: spec.index,
        country: spec.country,
        series,
        actions: [],
        reference,
        listedAt,
        valueUnit: 1,
        koreanTicks: false,
        hasVolume: false
      })
      return [spec.index, { spec, market, series }] as const
    }))
  }

  /** Every stock of a country with its market, in the universe's order. */
  listed(country: EquityCountry): ReadonlyArray<Listed> {
    return stockSpecs.filter((spec) => spec.country === country).map(({ symbol }) => this.stock(symbol)!)
  }

  /** A stock of either country; undefined when there is none of that symbol. */
  stock(symbol: string): Listed | undefined {
    const known = this.#stocks.get(symbol)
    if (known !== undefined) return known
    const index = stockSpecs.findIndex((spec) => spec.symbol === symbol)
    if (index < 0) return undefined
    const listed = this.#makeStock(stockSpecs[index]!, index)
    this.#stocks.set(symbol, listed)
    return listed
  }

  /** The market of an index other than VIX, which is not a price. */
  index(index: string): EquityMarket | undefined {
    return this.#indices.get(index)?.market
  }

  /** Shares outstanding at an instant, splits included. */
  sharesAt({ spec, market }: Listed, time: number): number {
    return Math.round(spec.shares * market.shareFactor(time))
  }

  /** Earnings of the last four published quarters and book value, per share as of `time`. */
  perShare({ spec, market }: Listed, time: number): { readonly eps: number; readonly book: number } {
    const key = this.#key(`valuation ${spec.symbol}`)
    const quarter = lastReported(spec, key, time)
    const split = market.shareFactor(time)
    return { eps: trailingEps(spec, key, quarter) / split, book: bookValue(spec, fiscalOf(quarter), key) / split }
  }

  quote(listed: Listed, now: number): StockQuote {
    const { spec, market } = listed
    const time = market.lastTradeAt(now)
    const price = market.price(now)
    const previousClose = market.previousClose(now)
    const [today] = market.lastCandles("1d", 1, now, false)
    const range = this.#yearBefore(market, lastSession(spec.country, now), now)
    const { eps, book } = this.perShare(listed, now)
    const ratio = (value: number): number => Math.round(100 * price / value) / 100
    return {
      symbol: spec.symbol,
      name: spec.name,
      exchange: spec.exchange,
      sector: spec.sector,
      time,
      price,
      previousClose,
      changePct: 100 * (price / previousClose - 1),
      volume: today?.volume ?? 0,
      turnover: today?.quoteVolume ?? 0,
      marketCap: price * this.sharesAt(listed, now),
      pe: eps > 0 ? ratio(eps) : null,
      pb: book > 0 ? ratio(book) : null,
      low52w: Math.min(range.low, today?.low ?? price),
      high52w: Math.max(range.high, today?.high ?? price),
      session: sessionState(spec.country, now),
      foreignSharePct: spec.country === "KR"
        ? Math.round(
          1000 * (30 + 12 * normal(this.#key(`foreign ${spec.symbol}`), 0)
            + 2 * stationaryNoise(this.#key(`foreign ${spec.symbol}`), time, dayMs, 256 * dayMs))
        ) / 1000
        : null
    }
  }

  /** Extremes of the year before a session, as seen at `now`; actions only take effect with a session. */
  #yearBefore(
    market: EquityMarket,
    session: TradingSession,
    now: number
  ): { readonly low: number; readonly high: number } {
    return this.#ranges.get(`${market.name}/${session.day}`, () => {
      const last = previousSession(market.country, session.day)
      const candles = market.lastCandles("1d", sessionsPerYear - 1, last.closeAt, true)
      // Scaled from that close to now: a split between the two sessions counts.
      const split = market.shareFactor(now) / market.shareFactor(last.closeAt)
      let low = Infinity
      let high = -Infinity
      for (const candle of candles) {
        low = Math.min(low, candle.low / split)
        high = Math.max(high, candle.high / split)
      }
      return { low, high }
    })
  }

  quotes(country: EquityCountry, now: number): ReadonlyArray<StockQuote> {
    return this.listed(country).map((listed) => this.quote(listed, now)).sort((a, b) => b.turnover - a.turnover)
  }

  /**
   * The volatility index at an instant within or after a session, annualised percent: volatility that the
   * S&P has had, pulled to its long mean, above it by a risk premium, and raised by recent falls.
   */
  vix(time: number): number {
    const spx = this.#indices.get("SPX")!
    const session = lastSession("US", time)
    const at = Math.min(time, session.closeAt)
    let sum = 0
    let weights = 0
    for (let day = session.day - 1, weight = 1; day >= session.day - 30; day--, weight *= 0.93) {
      sum += weight * spx.series.day(day).variance
      weights += weight
    }
    const variance = 0.6 * 365 * sum / weights + 0.4 * sessionsPerYear * spx.spec.dailySd ** 2
    const fall = spx.market.pathAt(at) - spx.market.pathAt(at - 5 * dayMs)
    const noise = stationaryNoise(this.#key("vix"), at, 5 * minuteMs, 16 * dayMs)
    return Math.round(100 * 112 * Math.sqrt(variance) * Math.exp(-4 * fall + 0.05 * noise)) / 100
  }

  #vixCandle(session: TradingSession, now: number): Candle {
    const end = Math.min(now, session.closeAt)
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

  /** Daily candles of an index, VIX included; undefined when there is no such index. */
  indexHistory(index: string, count: number, now: number): ReadonlyArray<Candle> | undefined {
    if (index !== vixName) return this.index(index)?.lastCandles("1d", count, now, true)
    const candles: Array<Candle> = []
    let session = lastSession("US", now)
    while (candles.length < count && session.openAt >= listedAt) {
      candles.push(this.#vixCandle(session, now))
      session = previousSession("US", session.day)
    }
    return candles.toReversed()
  }

  indexQuotes(country: EquityCountry, now: number): ReadonlyArray<IndexQuote> {
    const quotes: Array<IndexQuote> = []
    for (const { spec, market } of this.#indices.values()) {
      if (spec.country !== country) continue
      const value = market.price(now)
      const previousClose = market.previousClose(now)
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
        time: Math.min(now, session.closeAt),
        value,
        previousClose,
        changePct: 100 * (value / previousClose - 1)
      })
    }
    return quotes
  }

  /** Index futures: they follow the path around the clock, rest at weekends, and carry a little interest. */
  #futures(country: EquityCountry, now: number): ReadonlyArray<IndexQuote> {
    const quotes: Array<IndexQuote> = []
    for (const { spec, market } of this.#indices.values()) {
      if (spec.country !== country || spec.future === null) continue
      const carry = 1.004
      const time = Math.floor(now / minuteMs) * minuteMs
      const value = Math.round(market.futurePrice(time) * carry * 100) / 100
      // In a session the future is measured as its index is, outside from the index's last close.
      const settled = sessionState(country, now) === "regular" ? market.previousClose(now) : market.price(now)
      const previousClose = Math.round(settled * carry * 100) / 100
      quotes.push({
        index: spec.future,
        name: `${spec.name} future`,
        country,
        time,
        value,
        previousClose,
        changePct: 100 * (value / previousClose - 1)
      })
    }
    return quotes
  }

  summary(country: EquityCountry, now: number): EquityMarketSummary {
    const quotes = this.quotes(country, now)
    const sectors = new Map<string, { cap: number; before: number }>()
    let foreignNet = 0
    for (const quote of quotes) {
      const sector = sectors.get(quote.sector) ?? { cap: 0, before: 0 }
      sector.cap += quote.marketCap
      sector.before += quote.marketCap * quote.previousClose / quote.price
      sectors.set(quote.sector, sector)
      foreignNet += this.foreignNet(quote)
    }
    return {
      country,
      time: lastTradeOf(country, now),
      session: sessionState(country, now),
      indices: this.indexQuotes(country, now),
      breadth: {
        advancing: quotes.filter(({ changePct }) => changePct > 0).length,
        declining: quotes.filter(({ changePct }) => changePct < 0).length,
        unchanged: quotes.filter(({ changePct }) => changePct === 0).length
      },
      sectors: [...sectors]
        .map(([sector, { cap, before }]) => ({ sector, changePct: 100 * (cap / before - 1) }))
        .sort((a, b) => b.changePct - a.changePct),
      futures: this.#futures(country, now),
      foreignNetKrw: country === "KR" ? Math.round(foreignNet) : null
    }
  }

  /** What foreigners bought net in a quote's session: they lean with the day's move, and have a mind of their own. */
  foreignNet(quote: Pick<StockQuote, "symbol" | "time" | "turnover" | "changePct">): number {
    const mind = stationaryNoise(this.#key(`foreign flow ${quote.symbol}`), quote.time, hourMs, 16 * dayMs)
    return quote.turnover * 0.12 * Math.tanh(quote.changePct / 2.5 + 0.9 * mind)
  }
}

const lastTradeOf = (country: EquityCountry, now: number): number => Math.min(now, lastSession(country, now).closeAt)
