/** Implements `EquityMarkets` with several sources. Yahoo provides prices, and the regulators provide filed data. */
import {
  type EquityCountry,
  type EquityMarkets,
  makeReading,
  type MarketRead,
  NoData,
  type Reading,
  type Stock,
  UnknownSymbol
} from "@tapeline/core/market"
import { Effect } from "effect"
import { edgarVariable, noFlows, notProvided, openDartVariable } from "../yahoo/equityMarkets.ts"
import { countryOfSymbol } from "../yahoo/symbols.ts"
import { withPrice } from "./ratios.ts"

type Service = EquityMarkets["Service"]

/** The sources of company data, which are null if the operator has not configured them. */
export interface EquitySources {
  readonly prices: Service | null
  readonly us: Pick<Service, "fundamentals" | "insiderTrades" | "stock" | "stocks"> | null
  readonly kr: Partial<Pick<Service, "filings" | "fundamentals" | "stock" | "stocks">> | null
}

export const yahooVariable = "TAPELINE_YAHOO"

const noPrices = notProvided("yahoo", "no other source provides stock prices", yahooVariable)
const noStatementsErrors = {
  US: notProvided("edgar", "statements of US companies come from their filings", edgarVariable),
  KR: notProvided("opendart", "no source provides statements of Korean companies")
} as const satisfies Record<EquityCountry, unknown>
const noFilings = notProvided("opendart", "no other source provides filings", openDartVariable)

const failWithoutPrices = (): MarketRead<never> => Effect.fail(noPrices)

const withoutPrices: Service = {
  stocks: failWithoutPrices,
  stock: (symbol) =>
    countryOfSymbol(symbol) === undefined ? Effect.fail(new UnknownSymbol({ symbol })) : failWithoutPrices(),
  quote: failWithoutPrices,
  history: failWithoutPrices,
  market: failWithoutPrices,
  fundamentals: (symbol) => Effect.fail(noStatementsErrors[countryOfSymbol(symbol) ?? "US"]),
  earnings: failWithoutPrices,
  ratings: failWithoutPrices,
  ratingChanges: failWithoutPrices,
  insiderTrades: () => Effect.fail(noStatementsErrors.US),
  filings: () => Effect.fail(noFilings),
  investorFlows: () => Effect.fail(noFlows),
  options: failWithoutPrices
}

/**
 * Merges the stocks of a regulator and of the price source. If both sources list a stock, the facts of the price source
 * are used.
 */
const mergeStocks = (
  priced: Reading<ReadonlyArray<Stock>>,
  filed: Reading<ReadonlyArray<Stock>>
): Reading<ReadonlyArray<Stock>> => {
  const all = new Map([...filed.value, ...priced.value].map((stock) => [stock.symbol, stock]))
  const sorted = [...all.values()].sort((a, b) => a.symbol < b.symbol ? -1 : 1)
  return makeReading(sorted, [...priced.sources, ...filed.sources], Math.min(priced.asOf, filed.asOf))
}

/** Adds valuation ratios to statements, if the current price is available. */
const withRatios = (prices: Service | null, symbol: string, filed: ReturnType<Service["fundamentals"]>) =>
  Effect.flatMap(filed, (statements) =>
    prices === null ? Effect.succeed(statements) : Effect.zipWith(
      prices.quote(symbol),
      prices.stock(symbol),
      (quote, stock) => {
        const now = { price: quote.value.price, sharesOutstanding: stock.value.sharesOutstanding }
        const sources = [...statements.sources, ...quote.sources]
        return makeReading(withPrice(statements.value, now), sources, Math.max(statements.asOf, quote.value.time))
      }
    ).pipe(Effect.orElseSucceed(() => statements)))

const onlyKoreanFilings = (symbol: string): NoData =>
  new NoData({ subject: `${symbol} filings`, reason: { key: "none_korean", params: { symbol } } })

/**
 * If the regulator is not configured, fails with the error of the unconfigured price source, which would provide the
 * same stock.
 */
const preferPriceError = <A>(filed: MarketRead<A>): MarketRead<A> =>
  Effect.catchTag(
    filed,
    "SourceUnavailable",
    (error) => Effect.fail(error.failure === "not_configured" ? noPrices : error)
  )

/** Uses the regulator's data if the price source fails, and returns the price source's error if both fail. */
const fallBackTo = <A>(preferred: MarketRead<A>, filed: MarketRead<A>): MarketRead<A> =>
  Effect.catchTag(preferred, "SourceUnavailable", (error) => Effect.mapError(filed, () => error))

export const joinEquityMarkets = ({ kr, prices, us }: EquitySources): Service => {
  const base = prices ?? withoutPrices
  const regulators = { US: us, KR: kr }
  const stocks: Service["stocks"] = (country) => {
    const filed = regulators[country]?.stocks?.(country)
    if (filed === undefined) return base.stocks(country)
    if (prices === null) return preferPriceError(filed)
    // If the regulator's or the price source's list fails, the other list is returned.
    return fallBackTo(
      Effect.flatMap(
        prices.stocks(country),
        (fromPrices) =>
          Effect.catchTag(
            Effect.map(filed, (all) => mergeStocks(fromPrices, all)),
            "SourceUnavailable",
            () => Effect.succeed(fromPrices)
          )
      ),
      filed
    )
  }
  const stock: Service["stock"] = (symbol) => {
    const country = countryOfSymbol(symbol)
    const filed = country === undefined ? undefined : regulators[country]?.stock?.(symbol)
    if (filed === undefined) return base.stock(symbol)
    return prices === null ? preferPriceError(filed) : fallBackTo(prices.stock(symbol), filed)
  }
  return {
    ...base,
    stocks,
    stock,
    fundamentals: (symbol) => {
      const filed = regulators[countryOfSymbol(symbol) ?? "US"]?.fundamentals?.(symbol)
      return filed === undefined ? base.fundamentals(symbol) : withRatios(prices, symbol, filed)
    },
    insiderTrades: (query) =>
      us !== null && countryOfSymbol(query.symbol) === "US" ? us.insiderTrades(query) : base.insiderTrades(query),
    filings: (query) => {
      const filed = kr?.filings
      if (query.symbol === undefined) return filed === undefined ? base.filings(query) : filed(query)
      if (countryOfSymbol(query.symbol) === "US") {
        return Effect.andThen(stock(query.symbol), Effect.fail(onlyKoreanFilings(query.symbol)))
      }
      return filed === undefined ? base.filings(query) : filed(query)
    }
  }
}
