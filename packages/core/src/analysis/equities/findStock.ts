/**
 * Finds the stock that a tool's `symbol` argument names. The argument is a ticker, or a company's name in English or
 * Korean.
 */
import { Effect } from "effect"
import { ToolFailure } from "../../engine/tool/failure.ts"
import type { EquityMarkets } from "../../market/EquityMarkets.ts"
import { type MarketError, NoData, type SourceUnavailable, UnknownSymbol } from "../../market/errors.ts"
import type { EquityCountry, Stock } from "../../market/instrument.ts"
import type { MarketRead } from "../../market/reading.ts"
import { findStocksByName } from "./matchName.ts"

export interface FoundStock {
  readonly stock: Stock
  /** A note that names the chosen stock; empty if the argument was the stock's ticker. */
  readonly notes: ReadonlyArray<string>
}

const maxCandidates = 20

const tickerPattern = /^[A-Z0-9][A-Z0-9.-]{0,19}$/u

const makeAmbiguousNameError = (name: string, stocks: ReadonlyArray<Stock>): ToolFailure => {
  const candidates = stocks.slice(0, maxCandidates).map(({ exchange, name, symbol }) => ({ symbol, name, exchange }))
  const listed = candidates.map(({ name, symbol }) => `${symbol} (${name})`).join(", ")
  return new ToolFailure({
    code: "unknown_symbol",
    callerMessage: { key: "ambiguous_symbol", params: { name, candidates: listed } },
    retryable: false,
    candidates
  })
}

interface CountryQuery {
  readonly country: EquityCountry
  readonly otherTool: string
  /**
   * Reads the data of the calling tool if the stock markets are unavailable. The search for the stock uses only the
   * error of this read.
   */
  readonly nextRead?: (symbol: string) => MarketRead<unknown>
}

export const makeListedElsewhereError = (
  { exchange, name, symbol }: Pick<Stock, "exchange" | "name" | "symbol">,
  { country, otherTool }: Pick<CountryQuery, "country" | "otherTool">
): NoData => {
  const params = { symbol: `${symbol} (${name})`, exchange, tool: otherTool }
  return new NoData({
    subject: `${symbol} in ${country}`,
    reason: country === "US" ? { key: "none_in_us", params } : { key: "none_in_korea", params }
  })
}

const findByName = Effect.fnUntraced(
  function*(equities: EquityMarkets["Service"], name: string, firstCountry: EquityCountry) {
    const other = firstCountry === "US" ? "KR" : "US"
    for (const country of [firstCountry, other] as const) {
      const { value: stocks } = yield* equities.stocks(country)
      const found = findStocksByName(name, stocks)
      const [stock] = found
      if (stock === undefined) continue
      if (found.length > 1) return yield* makeAmbiguousNameError(name, found)
      return stock
    }
    return yield* new UnknownSymbol({ symbol: name })
  }
)

const toFoundStock = (query: string, stock: Stock): FoundStock => ({
  stock,
  notes: stock.symbol === query ? [] : [`\`${query}\` was read as ${stock.symbol}, ${stock.name}.`]
})

/** Finds a stock of any country by name, or by a ticker in another spelling. */
export const findStockByName: (
  equities: EquityMarkets["Service"],
  name: string
) => Effect.Effect<FoundStock, MarketError | ToolFailure> = (equities, name) =>
  Effect.map(findByName(equities, name, "US"), (stock) => toFoundStock(name, stock))

const failWithNextReadError = (
  symbol: string,
  nextRead: CountryQuery["nextRead"],
  error: SourceUnavailable
): Effect.Effect<never, MarketError> =>
  nextRead === undefined ? Effect.fail(error) : Effect.matchEffect(nextRead(symbol), {
    onFailure: (nextError) => Effect.fail(nextError._tag === "SourceUnavailable" ? nextError : error),
    onSuccess: () => Effect.fail(error)
  })

/**
 * Finds a stock of one country by ticker, or else by name. If the name is ambiguous, fails with an error that lists the
 * matching stocks. If the stock is listed in another country, fails with an error that names the tool for that country.
 * If both the stock markets and `nextRead` are unavailable, fails with the error of `nextRead`.
 */
export const findStock: (
  equities: EquityMarkets["Service"],
  name: string,
  query: CountryQuery
) => Effect.Effect<FoundStock, MarketError | ToolFailure> = Effect.fnUntraced(
  function*(equities, name, query) {
    const { country } = query
    const found = tickerPattern.test(name)
      ? equities.stock(name).pipe(
        Effect.map(({ value }) => value),
        Effect.catchTag("UnknownSymbol", () => findByName(equities, name, country))
      )
      : findByName(equities, name, country)
    const stock = yield* Effect.catchTag(
      found,
      "SourceUnavailable",
      (error) => failWithNextReadError(name, query.nextRead, error)
    )
    if (stock.country !== country) return yield* makeListedElsewhereError(stock, query)
    return toFoundStock(name, stock)
  }
)
