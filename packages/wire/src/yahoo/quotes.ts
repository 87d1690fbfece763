import {
  type Candle,
  type EquityMarkets,
  type ExchangeRates,
  type IndexQuote,
  type MarketRead,
  sessionState,
  type Stock,
  type StockQuote,
  type StoredEquities
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { exchangeCodes, indexSymbols, seconds, toOwnSymbol, toYahooSymbol } from "./names.ts"

export interface YahooPorts {
  readonly equities: EquityMarkets["Service"]
  readonly rates: ExchangeRates["Service"]
  readonly stored: Pick<StoredEquities["Service"], "indexHistory">
  /** The yield of three-month Treasury bills, in percent. */
  readonly billPct?: number
}

export const valueOrNull = <A>(read: MarketRead<A>): Effect.Effect<A | null> =>
  read.pipe(
    Effect.map(({ value }) => value),
    Effect.catchTags({ NoData: () => Effect.succeed(null), UnknownSymbol: () => Effect.succeed(null) }),
    Effect.orDie
  )

/** Removes fields that are null, because Yahoo omits missing values. */
const withoutNulls = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

const states = { pre: "PRE", regular: "REGULAR", post: "POST", closed: "CLOSED" } as const

interface Listing {
  readonly currency: string
  readonly exchange: string
  readonly symbol: string
  readonly quoteType: string
}

const baseFields = ({ currency, exchange, quoteType, symbol }: Listing) => ({
  language: "en-US",
  region: "US",
  quoteType,
  triggerable: true,
  currency,
  exchange,
  tradeable: false,
  esgPopulated: false,
  priceHint: 2,
  sourceInterval: 15,
  exchangeDataDelayedBy: 0,
  symbol
})

const sessionFields = (day: Candle | undefined) =>
  day === undefined
    ? {}
    : { regularMarketOpen: day.open, regularMarketDayHigh: day.high, regularMarketDayLow: day.low }

const stockFields = (stock: Stock, quote: StockQuote, now: number) => {
  const [exchange, fullExchangeName] = exchangeCodes[stock.exchange]
  const { changePct, extended, previousClose, price } = quote
  const extendedFields = extended === null ? {} : {
    [`${extended.session}MarketPrice`]: extended.price,
    [`${extended.session}MarketTime`]: seconds(extended.time)
  }
  return withoutNulls({
    ...baseFields({ currency: stock.currency, exchange, quoteType: "EQUITY", symbol: toYahooSymbol(stock) }),
    fullExchangeName,
    market: stock.country === "US" ? "us_market" : "kr_market",
    marketState: states[sessionState(stock.country, now)],
    shortName: stock.name,
    longName: stock.name,
    regularMarketPrice: price,
    regularMarketTime: seconds(quote.time),
    regularMarketPreviousClose: previousClose,
    regularMarketChangePercent: changePct,
    regularMarketVolume: Math.round(quote.volume),
    ...extendedFields,
    marketCap: quote.marketCap === null ? null : Math.round(quote.marketCap),
    sharesOutstanding: stock.sharesOutstanding,
    impliedSharesOutstanding: stock.sharesOutstanding,
    epsTrailingTwelveMonths: quote.eps,
    trailingPE: quote.pe,
    bookValue: quote.bookValue,
    priceToBook: quote.pb,
    fiftyTwoWeekLow: quote.low52w,
    fiftyTwoWeekHigh: quote.high52w,
    fiftyTwoWeekRange: `${quote.low52w} - ${quote.high52w}`,
    firstTradeDateMilliseconds: stock.listedAt
  })
}

const indexFields = (yahoo: string, quote: IndexQuote) => ({
  ...baseFields({
    currency: "USD",
    exchange: "SNP",
    quoteType: yahoo.endsWith("=F") ? "FUTURE" : "INDEX",
    symbol: yahoo
  }),
  shortName: quote.name,
  regularMarketPrice: quote.value,
  regularMarketTime: seconds(quote.time),
  regularMarketPreviousClose: quote.previousClose,
  regularMarketVolume: 0
})

/** A fake quote of a stock in London, with prices in pence. The stock is none of the stocks of the market ports. */
const londonShare = {
  ...baseFields({ currency: "GBp", exchange: "LSE", quoteType: "EQUITY", symbol: "SHEL" }),
  shortName: "SHELL PLC ORD EUR0.07",
  regularMarketPrice: 2_711.5,
  regularMarketPreviousClose: 2_700,
  regularMarketVolume: 1_000,
  regularMarketTime: 1_763_654_400
}

type Row = Readonly<Record<string, unknown>>

const readIndexRow = (ports: YahooPorts, yahoo: string, index: string): Effect.Effect<Row | null> =>
  Effect.gen(function*() {
    for (const country of ["US", "KR"] as const) {
      const market = yield* valueOrNull(ports.equities.market(country))
      const quote = [...market?.indices ?? [], ...market?.futures ?? []].find((quote) => quote.index === index)
      if (quote === undefined) continue
      const days = yield* valueOrNull(ports.stored.indexHistory({ index, bars: 1 }))
      return { ...indexFields(yahoo, quote), ...sessionFields(days?.at(-1)) }
    }
    return null
  })

const readStockRow = (ports: YahooPorts, yahoo: string): Effect.Effect<Row | null> =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const stock = yield* valueOrNull(ports.equities.stock(toOwnSymbol(yahoo)))
    if (stock === null || toYahooSymbol(stock) !== yahoo) return null
    const quote = yield* valueOrNull(ports.equities.quote(stock.symbol))
    if (quote === null) return null
    const report = stock.country === "US"
      ? yield* valueOrNull(ports.equities.earnings({ symbol: stock.symbol, days: 90 }))
      : null
    const next = report?.upcoming[0]?.time ?? null
    const due = next === null ? {} : {
      earningsTimestampStart: seconds(next),
      earningsTimestampEnd: seconds(next),
      isEarningsDateEstimate: false
    }
    const days = yield* valueOrNull(
      ports.equities.history({ symbol: stock.symbol, timeframe: "1d", bars: 1, adjusted: false })
    )
    return { ...stockFields(stock, quote, now), ...sessionFields(days?.candles.at(-1)), ...due }
  })

export const readRow = (ports: YahooPorts, yahoo: string): Effect.Effect<Row | null> =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const index = indexSymbols[yahoo]
    if (index !== undefined) return yield* readIndexRow(ports, yahoo, index)
    if (yahoo === "SHEL") return londonShare
    if (yahoo === "^IRX") {
      const bill = baseFields({ currency: "USD", exchange: "CGI", quoteType: "INDEX", symbol: yahoo })
      return {
        ...bill,
        regularMarketPrice: ports.billPct ?? 3.75,
        regularMarketTime: seconds(now),
        regularMarketVolume: 0
      }
    }
    return yield* readStockRow(ports, yahoo)
  })
