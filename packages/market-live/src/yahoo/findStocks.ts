import { type EquityCountry, NoData, type SourceUnavailable, type Stock, UnknownSymbol } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { toStock } from "./quotes.ts"
import type { YahooQuote } from "./rows.ts"
import { yahooSymbolsOf } from "./symbols.ts"
import type { Yahoo } from "./Yahoo.ts"

type Service = Yahoo["Service"]

export interface FoundStock {
  readonly stock: Stock
  readonly row: YahooQuote
}

export const toStocksBySymbol = (
  rows: ReadonlyMap<string, YahooQuote>,
  now: number
): ReadonlyMap<string, FoundStock> => {
  const found = new Map<string, FoundStock>()
  for (const row of rows.values()) {
    const stock = toStock(row, now)
    if (stock === undefined) continue
    const other = found.get(stock.symbol)
    // A stock that moved to another board may still be listed on the old board. Of two listings of one stock, the
    // listing with the newer trade is used.
    if (other !== undefined && (other.row.regularMarketTime ?? 0) >= (row.regularMarketTime ?? 0)) continue
    found.set(stock.symbol, { stock, row })
  }
  return found
}

/** Fetches the stocks that Yahoo knows among the given symbols. */
export const findStocks = Effect.fnUntraced(function*(
  yahoo: Service,
  symbols: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyMap<string, FoundStock>, SourceUnavailable> {
  const { value } = yield* yahoo.quotes(symbols.flatMap(yahooSymbolsOf))
  return toStocksBySymbol(value, yield* Clock.currentTimeMillis)
})

export const findStock = Effect.fnUntraced(function*(
  yahoo: Service,
  symbol: string
): Effect.fn.Return<FoundStock, SourceUnavailable | UnknownSymbol> {
  const names = yahooSymbolsOf(symbol)
  const found = names.length === 0 ? [] : [...(yield* findStocks(yahoo, [symbol])).values()]
  return found[0] ?? (yield* new UnknownSymbol({ symbol }))
})

/** Finds a stock of the given country. Fails with `NoData` if the stock belongs to another country. */
export const findStockInCountry = (yahoo: Service, symbol: string, country: EquityCountry, what: string) =>
  Effect.filterOrFail(
    findStock(yahoo, symbol),
    ({ stock }) => stock.country === country,
    () =>
      new NoData({
        subject: `${symbol} ${what}`,
        reason: { key: country === "KR" ? "none_korean" : "none_american", params: { symbol } }
      })
  )

export const noneRecorded = (symbol: string, what: string): NoData =>
  new NoData({ subject: `${symbol} ${what}`, reason: { key: "none_recorded", params: { symbol } } })
