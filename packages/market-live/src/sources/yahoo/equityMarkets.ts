/** Core's `EquityMarkets` over Yahoo: prices of both countries, options and analysts' ratings of the US. */
import {
  type EquityMarkets,
  type MarketRead,
  type Reading,
  reading,
  SourceUnavailable,
  type Stock
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { earningsOf, ratingsOf } from "./analysts.ts"
import { findAll, findIn, findStock, noneRecorded } from "./find.ts"
import { historyOf } from "./history.ts"
import { defaultStocks, type StockList } from "./knownStocks.ts"
import { marketOf } from "./marketSummary.ts"
import { optionsOf } from "./optionChain.ts"
import { quotedAt, stockQuoteOf } from "./quotes.ts"
import { type Yahoo, yahooName } from "./Yahoo.ts"

type Service = EquityMarkets["Service"]

/** The error for data that Yahoo does not have. Another source may have it. */
export const notTold = (source: string, reason: string, variable?: string): SourceUnavailable =>
  new SourceUnavailable({
    source,
    failure: "not_configured",
    reason,
    retryable: false,
    ...(variable === undefined ? {} : { variable })
  })

/** No setting adds a source of investor flows, so the error names the data instead of a source. */
export const noFlows = new SourceUnavailable({
  source: "investor flows",
  failure: "not_configured",
  reason: "no source of investors' flows serves programs",
  retryable: false,
  needs: { key: "source_missing_flows" }
})

/** Fails with `error` for a known stock; an unknown symbol fails as unknown. */
const untold = (yahoo: Yahoo["Service"], symbol: string, error: SourceUnavailable): MarketRead<never> =>
  Effect.andThen(findStock(yahoo, symbol), Effect.fail(error))

/** Like `untold`, for data that only Korean stocks have. */
const untoldOfKorea = (
  yahoo: Yahoo["Service"],
  symbol: string | undefined,
  what: string,
  error: SourceUnavailable
): MarketRead<never> =>
  symbol === undefined
    ? Effect.fail(error)
    : Effect.andThen(findIn(yahoo, symbol, "KR", what), Effect.fail(error))

export const edgarVariable = "TAPELINE_EDGAR_CONTACT"
export const openDartVariable = "TAPELINE_OPENDART_KEY"

export const yahooEquityMarkets = (yahoo: Yahoo["Service"], listed: StockList = defaultStocks): Service => ({
  stocks: Effect.fnUntraced(function*(country) {
    const found = yield* findAll(yahoo, listed[country])
    const own = Array.from(found.values(), ({ stock }) => stock).filter((stock) => stock.country === country)
    const sorted: ReadonlyArray<Stock> = own.sort((a, b) => a.symbol < b.symbol ? -1 : 1)
    return reading(sorted, yahooName, yield* Clock.currentTimeMillis)
  }),
  stock: Effect.fnUntraced(function*(symbol) {
    const { stock } = yield* findStock(yahoo, symbol)
    return reading(stock, yahooName, yield* Clock.currentTimeMillis)
  }),
  quote: Effect.fnUntraced(function*(symbol) {
    const { row, stock } = yield* findStock(yahoo, symbol)
    const quote = stockQuoteOf(stock, row, yield* Clock.currentTimeMillis)
    return quote === undefined ? yield* noneRecorded(symbol, "quote") : reading(quote, yahooName, quotedAt(quote))
  }),
  history: historyOf(yahoo),
  market: marketOf(yahoo, listed),
  fundamentals: Effect.fnUntraced(function*(symbol) {
    const { stock } = yield* findStock(yahoo, symbol)
    return yield* stock.country === "US"
      ? notTold("edgar", "statements of US companies are those that they filed", edgarVariable)
      : notTold("opendart", "nobody tells statements of Korean companies")
  }),
  earnings: earningsOf(yahoo, listed),
  ratings: ratingsOf(yahoo),
  ratingChanges: (): Effect.Effect<Reading<never>, SourceUnavailable> =>
    Effect.fail(notTold(yahooName, "it tells grades of one stock at a time")),
  insiderTrades: ({ symbol }) =>
    untold(yahoo, symbol, notTold("edgar", "insiders' trades are those that they filed", edgarVariable)),
  filings: ({ symbol }) =>
    untoldOfKorea(yahoo, symbol, "filings", notTold("opendart", "nobody else tells filings", openDartVariable)),
  investorFlows: ({ symbol }) => untoldOfKorea(yahoo, symbol, "investor flows", noFlows),
  options: optionsOf(yahoo)
})
