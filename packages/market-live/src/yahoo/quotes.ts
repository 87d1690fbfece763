import {
  type EquityCountry,
  type ExtendedPrice,
  type IndexQuote,
  koreanExchanges,
  sessionState,
  type Stock,
  type StockQuote
} from "@tapeline/core/market"
import { knownStocks } from "./knownStocks.ts"
import type { YahooQuote } from "./rows.ts"
import { marketSymbol, type NamedIndex, toExchange } from "./symbols.ts"

const currencies = { US: "USD", KR: "KRW" } as const

/** The beginning of Yahoo's records, before which a stock's listing date is unknown. */
const recordsStart: Readonly<Record<EquityCountry, number>> = {
  US: Date.parse("1962-01-03T00:00:00Z"),
  KR: Date.parse("2000-01-05T00:00:00Z")
}

const tradedKinds = ["EQUITY", "ETF"]

const nullIfNotPositive = (x: number | null | undefined): number | null =>
  x === null || x === undefined || x <= 0 ? null : x

/**
 * Converts the quote of a stock or fund in its country's currency, or returns undefined for any other quote, such as an
 * index.
 */
export const toStock = (row: YahooQuote, now: number): Stock | undefined => {
  const exchange = toExchange(row.exchange)
  if (exchange === undefined || !tradedKinds.includes(row.quoteType)) return undefined
  const country = koreanExchanges.some((korean) => korean === exchange) ? "KR" : "US"
  if (row.currency !== currencies[country]) return undefined
  const symbol = marketSymbol(row.symbol)
  const name = (row.longName ?? row.shortName ?? "").trim()
  const known = knownStocks.get(symbol)
  const firstTradeAt = row.firstTradeDateMilliseconds ?? null
  return {
    symbol,
    name: name === "" ? symbol : name,
    koreanName: known?.koreanName ?? null,
    country,
    exchange,
    currency: currencies[country],
    sector: known?.sector ?? null,
    // `sharesOutstanding` counts only one class of shares, but the market capitalisation counts all classes.
    sharesOutstanding: nullIfNotPositive(row.impliedSharesOutstanding) ?? nullIfNotPositive(row.sharesOutstanding),
    listedAt: firstTradeAt === null || firstTradeAt < recordsStart[country] || firstTradeAt > now ? null : firstTradeAt,
    delistedAt: null
  }
}

/** Returns the newest price before or after the regular session, if the price is newer than `since`. */
const extendedPrice = (row: YahooQuote, since: number, now: number): ExtendedPrice | null => {
  const found = [
    { session: "pre", time: row.preMarketTime, price: row.preMarketPrice },
    { session: "post", time: row.postMarketTime, price: row.postMarketPrice }
  ] as const
  return found.reduce<ExtendedPrice | null>((newest, { price, session, time }) => {
    if (price === null || price === undefined || time === null || time === undefined) return newest
    if (time <= Math.max(since, newest?.time ?? 0) || time > now) return newest
    return { session, time, price }
  }, null)
}

const changeOf = (price: number, before: number): number => 100 * (price / before - 1)

/** Returns the 52-week price range, extended to the newest price, because Yahoo's range may be out of date. */
const rangeOf = ({ fiftyTwoWeekHigh, fiftyTwoWeekLow }: YahooQuote, price: number) => {
  const [low, high] = [nullIfNotPositive(fiftyTwoWeekLow), nullIfNotPositive(fiftyTwoWeekHigh)]
  return low === null || high === null || low > high
    ? { low52w: null, high52w: null }
    : { low52w: Math.min(low, price), high52w: Math.max(high, price) }
}

/** Converts a quote, or returns undefined if the stock has not traded. */
export const toStockQuote = (stock: Stock, row: YahooQuote, now: number): StockQuote | undefined => {
  const { regularMarketPrice: price, regularMarketTime, regularMarketVolume: volume } = row
  if (price === null || price === undefined || regularMarketTime === null || regularMarketTime === undefined) {
    return undefined
  }
  if (volume === null || volume === undefined) return undefined
  const time = Math.min(regularMarketTime, now)
  const previousClose = row.regularMarketPreviousClose ?? null
  const eps = row.epsTrailingTwelveMonths ?? null
  const bookValue = row.bookValue ?? null
  const session = sessionState(stock.country, now)
  return {
    symbol: stock.symbol,
    name: stock.name,
    exchange: stock.exchange,
    sector: stock.sector,
    time,
    price,
    previousClose,
    changePct: previousClose === null ? null : changeOf(price, previousClose),
    volume,
    turnover: null,
    marketCap: nullIfNotPositive(row.marketCap),
    eps,
    pe: eps !== null && eps > 0 ? price / eps : null,
    bookValue,
    pb: bookValue !== null && bookValue > 0 ? price / bookValue : null,
    ...rangeOf(row, price),
    session,
    extended: session === "regular" ? null : extendedPrice(row, time, now),
    foreignSharePct: null
  }
}

export const quoteTimeOf = ({ extended, time }: StockQuote): number => extended?.time ?? time

/** Converts an index's quote, or returns undefined if a value is missing. */
export const toIndexQuote = (
  { country, index, name }: NamedIndex,
  row: YahooQuote | undefined,
  now: number
): IndexQuote | undefined => {
  const { regularMarketPreviousClose: previousClose, regularMarketPrice: value, regularMarketTime: time } = row ?? {}
  if (value === null || value === undefined || time === null || time === undefined) return undefined
  if (previousClose === null || previousClose === undefined) return undefined
  return {
    index,
    name,
    country,
    time: Math.min(time, now),
    value,
    previousClose,
    changePct: changeOf(value, previousClose)
  }
}
