/** The simulated stock markets: quotes, indices, a volatility index and market summaries. */
import {
  type Candle,
  dayMs,
  dayNumber,
  type EquityCountry,
  type EquityMarketSummary,
  type ExtendedPrice,
  hourMs,
  lastSession,
  nextSession,
  previousSession,
  sessionOf,
  sessionState,
  type StockQuote,
  type TradingSession
} from "@tapeline/core/market"
import { BoundedCache } from "../kernel/cache.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { drawNormal, type Key } from "../kernel/random.ts"
import type { SeriesCache } from "../path/Series.ts"
import { getFactors, makeActionHistory, makeActions } from "./corporateActions.ts"
import { EquityMarket } from "./EquityMarket.ts"
import { makeEquitySeries } from "./equitySeries.ts"
import { getFiscalQuarter, getLastReportedQuarter } from "./facts/fiscalQuarters.ts"
import { getTrailingEps, makeResultMoves } from "./facts/results.ts"
import { Indices } from "./Indices.ts"
import type { PriceRange } from "./priceLimits.ts"
import { stockSpecs } from "./stocks.ts"
import type { StockSpec } from "./stockSpec.ts"
import type { StockWithMarket } from "./stockWithMarket.ts"
import { getBookValue as bookValueOf, getGrowth } from "./valuation.ts"

/** The time (2026-01-01) for which the prices and share counts in the stock tables are valid. */
const referenceTime = dayNumber(2026, 1, 1) * dayMs
const listedAt = dayNumber(2020, 1, 2) * dayMs
/** The fraction of a company's shares that is traded on a typical day. */
const turnoverRate = 0.0045
const sessionsPerYear = 252
/** The volume of the first session after quarterly results, relative to a usual session. */
const resultsDayVolumeFactor = 2.4

/** The part of a stock quote that depends only on the last session and on the session before it. */
type SessionQuote = Pick<StockQuote, "symbol" | "time" | "price" | "previousClose" | "changePct"> & {
  readonly sector: string
  readonly turnover: number
  readonly marketCap: number
}

/** A stock quote whose optional fields always have a value. */
type CompleteQuote = StockQuote & SessionQuote & {
  readonly eps: number
  readonly bookValue: number
  readonly low52w: number
  readonly high52w: number
}

const toDayNumber = (date: string): number => Date.parse(date) / dayMs
const roundToTenThousandths = (x: number): number => Math.round(10_000 * x) / 10_000

const getListingPeriod = ({ country, firstDay, lastDay }: StockSpec) => ({
  listedAt: firstDay === null ? listedAt : nextSession(country, toDayNumber(firstDay) - 1).openAt,
  delistedAt: lastDay === null ? null : previousSession(country, toDayNumber(lastDay) + 1).closeAt
})

export class Equities {
  /** Caches the stocks that were already requested. */
  // Creating a stock is slow, because its splits and dividends need years of trading calendars.
  readonly #stocks = new Map<string, StockWithMarket>()
  readonly #createStock: (spec: StockSpec, i: number) => StockWithMarket
  readonly indices: Indices
  readonly #key: (name: string) => Key
  readonly #ranges = new BoundedCache<PriceRange>(512)

  constructor(seed: number | string, firstId: number, cache: SeriesCache, key: (name: string) => Key) {
    this.#key = key
    this.#createStock = (spec, i) => {
      const stockKey = key(`stock ${spec.symbol}`)
      const actions = makeActions(spec.country, spec.sector, stockKey)
      const valueUnit = spec.country === "US" ? 1 / 64 : 1
      const results = makeResultMoves(spec, key(`valuation ${spec.symbol}`), referenceTime)
      const history = makeActionHistory(actions)
      const referenceFactors = getFactors(history, referenceTime)
      const turnover = spec.price * spec.shares * turnoverRate * Math.exp(0.5 * drawNormal(stockKey, 10))
      const series = makeEquitySeries({
        seed,
        id: firstId + i,
        name: spec.symbol,
        country: spec.country,
        level: spec.price,
        growth: getGrowth(spec),
        dailySd: spec.dailySd,
        marketShare: spec.marketShare,
        sectorShare: 0.2,
        sector: spec.sector,
        // Volumes are counted in shares before all splits, but traded values do not depend on splits.
        valueScale: referenceFactors.shares / valueUnit,
        dailyVolume: (span) => {
          const session = sessionOf(spec.country, span.from)
          const volumeFactor = session !== undefined && results.isFirstSessionAfterResult(session.openAt)
            ? resultsDayVolumeFactor
            : 1
          return volumeFactor * turnover / (Math.exp(span.open) * referenceFactors.shares)
        },
        offset: (second) =>
          results.getMoveUpTo(second * 1000) +
          Math.log(getFactors(history, second * 1000).dividendFactor / referenceFactors.dividendFactor)
      }, cache)
      const market = new EquityMarket({
        name: spec.symbol,
        country: spec.country,
        series,
        actions,
        results,
        referenceTime,
        ...getListingPeriod(spec),
        valueUnit,
        isKoreanStock: spec.country === "KR",
        hasVolume: true
      })
      return { spec, market }
    }
    this.indices = new Indices({
      seed,
      firstId: firstId + stockSpecs.length,
      cache,
      key,
      members: (country) => this.getStocks(country),
      referenceTime,
      listedAt
    })
  }

  getStocks(country: EquityCountry): ReadonlyArray<StockWithMarket> {
    return stockSpecs.filter((spec) => spec.country === country).map(({ symbol }) => this.getStock(symbol)!)
  }

  getTradedStocks(country: EquityCountry, time: number): ReadonlyArray<StockWithMarket> {
    return this.getStocks(country).filter(({ market }) => market.isTradedAt(time))
  }

  getStock(symbol: string): StockWithMarket | undefined {
    const existing = this.#stocks.get(symbol)
    if (existing !== undefined) return existing
    const index = stockSpecs.findIndex((spec) => spec.symbol === symbol)
    if (index < 0) return undefined
    const listed = this.#createStock(stockSpecs[index]!, index)
    this.#stocks.set(symbol, listed)
    return listed
  }

  /** Returns the number of shares outstanding at a time, including splits. */
  getSharesOutstanding({ spec, market }: StockWithMarket, time: number): number {
    return Math.round(spec.shares * market.getShareFactor(time))
  }

  /** Returns the earnings per share of the last four published quarters, and the book value per share, at `time`. */
  getPerShareFigures(
    { spec, market }: StockWithMarket,
    time: number
  ): { readonly eps: number; readonly bookValue: number } {
    const key = this.#key(`valuation ${spec.symbol}`)
    const quarter = getLastReportedQuarter(spec, key, time)
    const split = market.getShareFactor(time)
    return {
      eps: roundToTenThousandths(getTrailingEps(spec, key, quarter) / split),
      bookValue: roundToTenThousandths(bookValueOf(spec, getFiscalQuarter(quarter), key) / split)
    }
  }

  getQuote(listed: StockWithMarket, now: number): CompleteQuote {
    const { spec, market } = listed
    const { today, ...sessionQuote } = this.getSessionQuote(listed, now)
    const { price, time } = sessionQuote
    const range = this.#getRangeOfYearBefore(market, lastSession(spec.country, now), now)
    const { bookValue, eps } = this.getPerShareFigures(listed, now)
    const toRatio = (value: number): number => Math.round(100 * price / value) / 100
    return {
      ...sessionQuote,
      name: spec.name,
      exchange: spec.exchange,
      volume: today?.volume ?? 0,
      eps,
      pe: eps > 0 ? toRatio(eps) : null,
      bookValue,
      pb: bookValue > 0 ? toRatio(bookValue) : null,
      low52w: Math.min(range.low, today?.low ?? price),
      high52w: Math.max(range.high, today?.high ?? price),
      session: sessionState(spec.country, now),
      extended: getExtendedPrice(market, now),
      foreignSharePct: spec.country === "KR"
        ? this.#getForeignShare(spec.symbol, time)
        : null
    }
  }

  /**
   * Returns the prices and the turnover of a stock in its last session, with the daily candle of the session. The first
   * session quote of a stock is fast, because it needs no prices of the year before.
   */
  getSessionQuote(
    listed: StockWithMarket,
    now: number
  ): SessionQuote & { readonly today: Candle | undefined } {
    const { spec, market } = listed
    const price = market.price(now)
    const previousClose = market.getPreviousClose(now)
    const [today] = market.getLastCandles("1d", 1, now, false)
    return {
      symbol: spec.symbol,
      sector: spec.sector,
      time: market.getLastTradeTime(now),
      price,
      previousClose,
      changePct: previousClose === null ? null : 100 * (price / previousClose - 1),
      turnover: today?.quoteVolume ?? 0,
      marketCap: price * this.getSharesOutstanding(listed, now),
      today
    }
  }

  /** Returns the percentage of a stock's shares that foreigners hold, from 0 to 100. */
  #getForeignShare(symbol: string, time: number): number {
    const key = this.#key(`foreign ${symbol}`)
    const share = 30 + 12 * drawNormal(key, 0) + 2 * stationaryNoise(key, time, dayMs, 256 * dayMs)
    return Math.round(1000 * Math.max(0, Math.min(100, share))) / 1000
  }

  /** Returns the price range of the year before a session, adjusted for splits up to `now` but not for dividends. */
  #getRangeOfYearBefore(market: EquityMarket, session: TradingSession, now: number): PriceRange {
    return this.#ranges.get(
      `${market.name}/${session.day}`,
      () => market.getPriceRange(sessionsPerYear - 1, previousSession(market.country, session.day).closeAt, now)
    )
  }

  getQuotes(country: EquityCountry, now: number): ReadonlyArray<CompleteQuote> {
    return this.getTradedStocks(country, now).map((listed) => this.getQuote(listed, now)).sort((a, b) =>
      b.turnover - a.turnover
    )
  }

  getMarketSummary(country: EquityCountry, now: number): EquityMarketSummary {
    const quotes = this.getTradedStocks(country, now).map((listed) => this.getSessionQuote(listed, now)).sort((a, b) =>
      b.turnover - a.turnover
    )
    const changes = quotes.flatMap(({ changePct }) => changePct === null ? [] : [changePct])
    const sectors = new Map<string, { marketCap: number; before: number }>()
    let foreignNet = 0
    for (const quote of quotes) {
      foreignNet += this.getForeignNetPurchases(quote)
      // The first session of a stock has no previous close.
      if (quote.previousClose === null) continue
      const sector = sectors.get(quote.sector) ?? { marketCap: 0, before: 0 }
      sector.marketCap += quote.marketCap
      sector.before += quote.marketCap * quote.previousClose / quote.price
      sectors.set(quote.sector, sector)
    }
    return {
      country,
      time: getLastTradeTime(country, now),
      session: sessionState(country, now),
      indices: this.indices.getQuotes(country, now),
      breadth: {
        advancing: changes.filter((change) => change > 0).length,
        declining: changes.filter((change) => change < 0).length,
        unchanged: changes.filter((change) => change === 0).length
      },
      sectors: [...sectors]
        .map(([sector, { marketCap, before }]) => ({ sector, changePct: 100 * (marketCap / before - 1) }))
        .sort((a, b) => b.changePct - a.changePct),
      futures: this.indices.getFutures(country, now),
      foreignNetKrw: country === "KR" ? Math.round(foreignNet) : null
    }
  }

  /** Returns the net purchases by foreigners in the session of a quote, in the quote's currency. */
  getForeignNetPurchases(quote: Pick<SessionQuote, "symbol" | "time" | "turnover" | "changePct">): number {
    const independentDemand = stationaryNoise(this.#key(`foreign flow ${quote.symbol}`), quote.time, hourMs, 16 * dayMs)
    return quote.turnover * 0.12 * Math.tanh((quote.changePct ?? 0) / 2.5 + 0.9 * independentDemand)
  }
}

/** The length of post-market trading after a US close. */
const postMarketMs = 4 * hourMs
const preMarketMs = 5.5 * hourMs

/** Returns the newest US price outside the regular session, or null for Korean stocks and during the session. */
const getExtendedPrice = (market: EquityMarket, now: number): ExtendedPrice | null => {
  const last = lastSession(market.country, now)
  if (market.country !== "US" || now < last.closeAt) return null
  const preMarketOpenAt = nextSession(market.country, last.day).openAt - preMarketMs
  const session = now >= preMarketOpenAt ? "pre" : "post"
  const time = session === "pre" ? now : Math.min(now, last.closeAt + postMarketMs - 1)
  return { session, time, price: market.getExtendedPrice(time) }
}

const getLastTradeTime = (country: EquityCountry, now: number): number =>
  Math.min(now, lastSession(country, now).closeAt)
