/**
 * The stock markets of the world: quotes, indices, volatility index, market summaries.
 */
import {
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
import { type Key, normal } from "../kernel/random.ts"
import type { SeriesCache } from "../path/Series.ts"
import { actionsOf, factorsAt, historyOf } from "./corporate.ts"
import { EquityMarket } from "./EquityMarket.ts"
import { makeEquitySeries } from "./equitySeries.ts"
import { fiscalOf, lastReported } from "./facts/fiscal.ts"
import { resultMoves, trailingEps } from "./facts/results.ts"
import { Indices } from "./Indices.ts"
import type { Listed } from "./listed.ts"
import type { PriceRange } from "./priceLimits.ts"
import { stockSpecs } from "./stocks.ts"
import type { StockSpec } from "./stockSpec.ts"
import { bookValue as bookValueOf, growthOf } from "./valuation.ts"

/** 2026-01-01, the date of the price levels and share counts in the tables. */
const reference = dayNumber(2026, 1, 1) * dayMs
const listedAt = dayNumber(2020, 1, 2) * dayMs
/** The share of a company that is traded on a typical day. */
const turnoverRate = 0.0045
const sessionsPerYear = 252
/** The volume on a day of results, relative to a usual day. */
const resultsVolume = 2.4

/** A quote with all fields that a real source may lack. Only values from before the first session can be missing. */
type WholeQuote = StockQuote & {
  readonly sector: string
  readonly turnover: number
  readonly marketCap: number
  readonly eps: number
  readonly bookValue: number
  readonly low52w: number
  readonly high52w: number
}

const dayOf = (date: string): number => Date.parse(date) / dayMs
const tenThousandths = (x: number): number => Math.round(10_000 * x) / 10_000

/** The time from the opening of a stock's first session to the close of its last. */
const lifetimeOf = ({ country, firstDay, lastDay }: StockSpec) => ({
  listedAt: firstDay === null ? listedAt : nextSession(country, dayOf(firstDay) - 1).openAt,
  delistedAt: lastDay === null ? null : previousSession(country, dayOf(lastDay) + 1).closeAt
})

export class Equities {
  /** Stocks, which are created on first use: their corporate actions need years of calendars. */
  readonly #stocks = new Map<string, Listed>()
  readonly #makeStock: (spec: StockSpec, i: number) => Listed
  readonly indices: Indices
  readonly #key: (name: string) => Key
  readonly #ranges = new BoundedCache<PriceRange>(512)

  constructor(seed: number | string, firstId: number, cache: SeriesCache, key: (name: string) => Key) {
    this.#key = key
    this.#makeStock = (spec, i) => {
      const own = key(`stock ${spec.symbol}`)
      const actions = actionsOf(spec.country, spec.sector, own)
      const valueUnit = spec.country === "US" ? 1 / 64 : 1
      const results = resultMoves(spec, key(`valuation ${spec.symbol}`), reference)
      const history = historyOf(actions)
      const atReference = factorsAt(history, reference)
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
        // Volumes are counted in shares before all splits. The value is an amount of money and independent of splits.
        valueScale: atReference.shares / valueUnit,
        dailyVolume: (span) => {
          const session = sessionOf(spec.country, span.from)
          const busy = session !== undefined && results.opens(session.openAt) ? resultsVolume : 1
          return busy * turnover / (Math.exp(span.open) * atReference.shares)
        },
        offset: (second) =>
          results.upTo(second * 1000) + Math.log(factorsAt(history, second * 1000).kept / atReference.kept)
      }, cache)
      const market = new EquityMarket({
        name: spec.symbol,
        country: spec.country,
        series,
        actions,
        results,
        reference,
        ...lifetimeOf(spec),
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
      members: (country) => this.listed(country),
      reference,
      listedAt
    })
  }

  /** All stocks of a country with their markets, in the order of `stockSpecs`. */
  listed(country: EquityCountry): ReadonlyArray<Listed> {
    return stockSpecs.filter((spec) => spec.country === country).map(({ symbol }) => this.stock(symbol)!)
  }

  /** The stocks of a country that are traded at a time. */
  trading(country: EquityCountry, time: number): ReadonlyArray<Listed> {
    return this.listed(country).filter(({ market }) => market.tradesAt(time))
  }

  /** A stock of either country. Undefined if the symbol is unknown. */
  stock(symbol: string): Listed | undefined {
    const known = this.#stocks.get(symbol)
    if (known !== undefined) return known
    const index = stockSpecs.findIndex((spec) => spec.symbol === symbol)
    if (index < 0) return undefined
    const listed = this.#makeStock(stockSpecs[index]!, index)
    this.#stocks.set(symbol, listed)
    return listed
  }

  /** The shares outstanding at a time, including splits. */
  sharesAt({ spec, market }: Listed, time: number): number {
    return Math.round(spec.shares * market.shareFactor(time))
  }

  /** The earnings of the last four published quarters and the book value, per share as of `time`. */
  perShare({ spec, market }: Listed, time: number): { readonly eps: number; readonly bookValue: number } {
    const key = this.#key(`valuation ${spec.symbol}`)
    const quarter = lastReported(spec, key, time)
    const split = market.shareFactor(time)
    return {
      eps: tenThousandths(trailingEps(spec, key, quarter) / split),
      bookValue: tenThousandths(bookValueOf(spec, fiscalOf(quarter), key) / split)
    }
  }

  quote(listed: Listed, now: number): WholeQuote {
    const { spec, market } = listed
    const time = market.lastTradeAt(now)
    const price = market.price(now)
    const previousClose = market.previousClose(now)
    const [today] = market.lastCandles("1d", 1, now, false)
    const range = this.#yearBefore(market, lastSession(spec.country, now), now)
    const { bookValue, eps } = this.perShare(listed, now)
    const ratio = (value: number): number => Math.round(100 * price / value) / 100
    return {
      symbol: spec.symbol,
      name: spec.name,
      exchange: spec.exchange,
      sector: spec.sector,
      time,
      price,
      previousClose,
      changePct: previousClose === null ? null : 100 * (price / previousClose - 1),
      volume: today?.volume ?? 0,
      turnover: today?.quoteVolume ?? 0,
      marketCap: price * this.sharesAt(listed, now),
      eps,
      pe: eps > 0 ? ratio(eps) : null,
      bookValue,
      pb: bookValue > 0 ? ratio(bookValue) : null,
      low52w: Math.min(range.low, today?.low ?? price),
      high52w: Math.max(range.high, today?.high ?? price),
      session: sessionState(spec.country, now),
      extended: extendedPrice(market, now),
      foreignSharePct: spec.country === "KR"
        ? this.#foreignShare(spec.symbol, time)
        : null
    }
  }

  /** The share of foreign holders in percent, from 0 to 100. */
  #foreignShare(symbol: string, time: number): number {
    const key = this.#key(`foreign ${symbol}`)
    const share = 30 + 12 * normal(key, 0) + 2 * stationaryNoise(key, time, dayMs, 256 * dayMs)
    return Math.round(1000 * Math.max(0, Math.min(100, share))) / 1000
  }

  /** The price extremes of the year before a session, in shares of `now`: as traded, not adjusted for dividends. */
  #yearBefore(market: EquityMarket, session: TradingSession, now: number): PriceRange {
    return this.#ranges.get(
      `${market.name}/${session.day}`,
      () => market.range(sessionsPerYear - 1, previousSession(market.country, session.day).closeAt, now)
    )
  }

  /** The quotes of all traded stocks, largest turnover first. */
  quotes(country: EquityCountry, now: number): ReadonlyArray<WholeQuote> {
    return this.trading(country, now).map((listed) => this.quote(listed, now)).sort((a, b) => b.turnover - a.turnover)
  }

  summary(country: EquityCountry, now: number): EquityMarketSummary {
    const quotes = this.quotes(country, now)
    const changes = quotes.flatMap(({ changePct }) => changePct === null ? [] : [changePct])
    const sectors = new Map<string, { cap: number; before: number }>()
    let foreignNet = 0
    for (const quote of quotes) {
      foreignNet += this.foreignNet(quote)
      // A first session has no previous close for comparison.
      if (quote.previousClose === null) continue
      const sector = sectors.get(quote.sector) ?? { cap: 0, before: 0 }
      sector.cap += quote.marketCap
      sector.before += quote.marketCap * quote.previousClose / quote.price
      sectors.set(quote.sector, sector)
    }
    return {
      country,
      time: lastTradeOf(country, now),
      session: sessionState(country, now),
      indices: this.indices.quotes(country, now),
      breadth: {
        advancing: changes.filter((change) => change > 0).length,
        declining: changes.filter((change) => change < 0).length,
        unchanged: changes.filter((change) => change === 0).length
      },
      sectors: [...sectors]
        .map(([sector, { cap, before }]) => ({ sector, changePct: 100 * (cap / before - 1) }))
        .sort((a, b) => b.changePct - a.changePct),
      futures: this.indices.futures(country, now),
      foreignNetKrw: country === "KR" ? Math.round(foreignNet) : null
    }
  }

  /** The net purchases of foreigners in a quote's session. Foreigners follow the day's move, with independent noise. */
  foreignNet(quote: Pick<WholeQuote, "symbol" | "time" | "turnover" | "changePct">): number {
    const mind = stationaryNoise(this.#key(`foreign flow ${quote.symbol}`), quote.time, hourMs, 16 * dayMs)
    return quote.turnover * 0.12 * Math.tanh((quote.changePct ?? 0) / 2.5 + 0.9 * mind)
  }
}

/** The time after a close, and before an opening, in which US stocks are still traded. */
const postMarketMs = 4 * hourMs
const preMarketMs = 5.5 * hourMs

/** The newest price outside the regular session. Null in Korea, and during the session. */
const extendedPrice = (market: EquityMarket, now: number): ExtendedPrice | null => {
  const last = lastSession(market.country, now)
  if (market.country !== "US" || now < last.closeAt) return null
  const preAt = nextSession(market.country, last.day).openAt - preMarketMs
  const session = now >= preAt ? "pre" : "post"
  const time = session === "pre" ? now : Math.min(now, last.closeAt + postMarketMs - 1)
  return { session, time, price: market.extendedPrice(time) }
}

const lastTradeOf = (country: EquityCountry, now: number): number => Math.min(now, lastSession(country, now).closeAt)
