/**
 * Implements core's `EquityMarkets` with Yahoo: prices of US and Korean stocks, and US options and analysts' ratings.
 */
import {
  type EquityMarkets,
  makeReading,
  type MarketRead,
  type Reading,
  SourceUnavailable,
  type Stock
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { makeEarningsRead, makeRatingsRead } from "./analysts.ts"
import { findStock, findStockInCountry, findStocks, noneRecorded } from "./findStocks.ts"
import { makeHistoryRead } from "./history.ts"
import { defaultStocks, type StockList } from "./knownStocks.ts"
import { makeMarketRead } from "./marketSummary.ts"
import { makeOptionsRead } from "./optionChain.ts"
import { quoteTimeOf, toStockQuote } from "./quotes.ts"
import { type Yahoo, yahooName } from "./Yahoo.ts"

type Service = EquityMarkets["Service"]

/** Returns the error for data that Yahoo does not provide. A source other than Yahoo may provide the data. */
export const notProvided = (source: string, reason: string, variable?: string): SourceUnavailable =>
  new SourceUnavailable({
    source,
    failure: "not_configured",
    reason,
    retryable: false,
    ...(variable === undefined ? {} : { variable })
  })

/** The error for investor flows, which no source provides. */
export const noFlows = new SourceUnavailable({
  source: "investor flows",
  failure: "not_configured",
  reason: "no source provides investor flows to programs",
  retryable: false,
  needs: { key: "source_missing_flows" }
})

/** Fails with `error` for a known stock, and with `UnknownSymbol` for an unknown symbol. */
const failForKnownStock = (yahoo: Yahoo["Service"], symbol: string, error: SourceUnavailable): MarketRead<never> =>
  Effect.andThen(findStock(yahoo, symbol), Effect.fail(error))

/** Fails with `error` for a Korean stock, because the requested data exists only for Korean stocks. */
const failForKoreanStock = (
  yahoo: Yahoo["Service"],
  symbol: string | undefined,
  what: string,
  error: SourceUnavailable
): MarketRead<never> =>
  symbol === undefined
    ? Effect.fail(error)
    : Effect.andThen(findStockInCountry(yahoo, symbol, "KR", what), Effect.fail(error))

export const edgarVariable = "TAPELINE_EDGAR_CONTACT"
export const openDartVariable = "TAPELINE_OPENDART_KEY"

export const makeYahooEquityMarkets = (yahoo: Yahoo["Service"], listed: StockList = defaultStocks): Service => ({
  stocks: Effect.fnUntraced(function*(country) {
    const found = yield* findStocks(yahoo, listed[country])
    const own = Array.from(found.values(), ({ stock }) => stock).filter((stock) => stock.country === country)
    const sorted: ReadonlyArray<Stock> = own.sort((a, b) => a.symbol < b.symbol ? -1 : 1)
    return makeReading(sorted, yahooName, yield* Clock.currentTimeMillis)
  }),
  stock: Effect.fnUntraced(function*(symbol) {
    const { stock } = yield* findStock(yahoo, symbol)
    return makeReading(stock, yahooName, yield* Clock.currentTimeMillis)
  }),
  quote: Effect.fnUntraced(function*(symbol) {
    const { row, stock } = yield* findStock(yahoo, symbol)
    const quote = toStockQuote(stock, row, yield* Clock.currentTimeMillis)
    return quote === undefined
      ? yield* noneRecorded(symbol, "quote")
      : makeReading(quote, yahooName, quoteTimeOf(quote))
  }),
  history: makeHistoryRead(yahoo),
  market: makeMarketRead(yahoo, listed),
  fundamentals: Effect.fnUntraced(function*(symbol) {
    const { stock } = yield* findStock(yahoo, symbol)
    return yield* stock.country === "US"
      ? notProvided("edgar", "statements of US companies come from their filings", edgarVariable)
      : notProvided("opendart", "no source provides statements of Korean companies")
  }),
  earnings: makeEarningsRead(yahoo, listed),
  ratings: makeRatingsRead(yahoo),
  ratingChanges: (): Effect.Effect<Reading<never>, SourceUnavailable> =>
    Effect.fail(notProvided(yahooName, "it provides grades only for one stock at a time")),
  insiderTrades: ({ symbol }) =>
    failForKnownStock(yahoo, symbol, notProvided("edgar", "insider trades come from filings", edgarVariable)),
  filings: ({ symbol }) =>
    failForKoreanStock(
      yahoo,
      symbol,
      "filings",
      notProvided("opendart", "no other source provides filings", openDartVariable)
    ),
  investorFlows: ({ symbol }) => failForKoreanStock(yahoo, symbol, "investor flows", noFlows),
  options: makeOptionsRead(yahoo)
})
