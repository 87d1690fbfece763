/** Quotes in Yahoo's format. */
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
import { exchangeCodes, indexSymbols, ownSymbol, seconds, yahooSymbol } from "./names.ts"

export interface YahooPorts {
  readonly equities: EquityMarkets["Service"]
  readonly rates: ExchangeRates["Service"]
  /** Daily bars of indices. */
  readonly stored: Pick<StoredEquities["Service"], "indexHistory">
  /** The yield of three-month bills, in percent. */
  readonly billPct?: number
}

/** Returns null if the port has no data or does not know the symbol. */
export const orNone = <A>(read: MarketRead<A>): Effect.Effect<A | null> =>
  read.pipe(
    Effect.map(({ value }) => value),
    Effect.catchTags({ NoData: () => Effect.succeed(null), UnknownSymbol: () => Effect.succeed(null) }),
    Effect.orDie
  )

/** Removes fields that are null, because Yahoo omits missing values. */
const told = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

const states = { pre: "PRE", regular: "REGULAR", post: "POST", closed: "CLOSED" } as const

interface Placed {
  readonly currency: string
  readonly exchange: string
  readonly symbol: string
  readonly quoteType: string
}

const base = ({ currency, exchange, quoteType, symbol }: Placed) => ({
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

/** The prices of the running or last session. */
const ofDay = (day: Candle | undefined) =>
  day === undefined
    ? {}
    : { regularMarketOpen: day.open, regularMarketDayHigh: day.high, regularMarketDayLow: day.low }

const ofStock = (stock: Stock, quote: StockQuote, now: number) => {
  const [exchange, fullExchangeName] = exchangeCodes[stock.exchange]
  const { changePct, extended, previousClose, price } = quote
  const around = extended === null ? {} : {
    [`${extended.session}MarketPrice`]: extended.price,
    [`${extended.session}MarketTime`]: seconds(extended.time)
  }
  return told({
    ...base({ currency: stock.currency, exchange, quoteType: "EQUITY", symbol: yahooSymbol(stock) }),
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
    ...around,
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

const ofIndex = (yahoo: string, quote: IndexQuote) => ({
  ...base({ currency: "USD", exchange: "SNP", quoteType: yahoo.endsWith("=F") ? "FUTURE" : "INDEX", symbol: yahoo }),
  shortName: quote.name,
  regularMarketPrice: quote.value,
  regularMarketTime: seconds(quote.time),
  regularMarketPreviousClose: quote.previousClose,
  regularMarketVolume: 0
})

/** A share in London, quoted in pence. No country of these ports lists it. */
const inPence = {
  ...base({ currency: "GBp", exchange: "LSE", quoteType: "EQUITY", symbol: "SHEL" }),
  shortName: "SHELL PLC ORD EUR0.07",
  regularMarketPrice: 2_711.5,
  regularMarketPreviousClose: 2_700,
  regularMarketVolume: 1_000,
  regularMarketTime: 1_763_654_400
}

type Row = Readonly<Record<string, unknown>>

const indexRow = (ports: YahooPorts, yahoo: string, index: string): Effect.Effect<Row | null> =>
  Effect.gen(function*() {
    for (const country of ["US", "KR"] as const) {
      const market = yield* orNone(ports.equities.market(country))
      const found = [...market?.indices ?? [], ...market?.futures ?? []].find((quote) => quote.index === index)
      if (found === undefined) continue
      const days = yield* orNone(ports.stored.indexHistory({ index, bars: 1 }))
      return { ...ofIndex(yahoo, found), ...ofDay(days?.at(-1)) }
    }
    return null
  })

const stockRow = (ports: YahooPorts, yahoo: string): Effect.Effect<Row | null> =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const stock = yield* orNone(ports.equities.stock(ownSymbol(yahoo)))
    if (stock === null || yahooSymbol(stock) !== yahoo) return null
    const quote = yield* orNone(ports.equities.quote(stock.symbol))
    if (quote === null) return null
    const report = stock.country === "US"
      ? yield* orNone(ports.equities.earnings({ symbol: stock.symbol, days: 90 }))
      : null
    const next = report?.upcoming[0]?.time ?? null
    const due = next === null ? {} : {
      earningsTimestampStart: seconds(next),
      earningsTimestampEnd: seconds(next),
      isEarningsDateEstimate: false
    }
    const days = yield* orNone(
      ports.equities.history({ symbol: stock.symbol, timeframe: "1d", bars: 1, adjusted: false })
    )
    return { ...ofStock(stock, quote, now), ...ofDay(days?.candles.at(-1)), ...due }
  })

/** Returns the row of a symbol, or null if it is unknown. */
export const rowOf = (ports: YahooPorts, yahoo: string): Effect.Effect<Row | null> =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const index = indexSymbols[yahoo]
    if (index !== undefined) return yield* indexRow(ports, yahoo, index)
    if (yahoo === "SHEL") return inPence
    if (yahoo === "^IRX") {
      const bill = base({ currency: "USD", exchange: "CGI", quoteType: "INDEX", symbol: yahoo })
      return {
        ...bill,
        regularMarketPrice: ports.billPct ?? 3.75,
        regularMarketTime: seconds(now),
        regularMarketVolume: 0
      }
    }
    return yield* stockRow(ports, yahoo)
  })
