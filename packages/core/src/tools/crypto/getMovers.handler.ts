import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import type { StockQuote } from "../../market/equity.ts"
import { type MarketError, NoData } from "../../market/errors.ts"
import type { KrwTicker } from "../../market/korea.ts"
import { KoreanCoinMarkets } from "../../market/KoreanCoinMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { mapReading, type MarketRead, type Reading } from "../../market/reading.ts"
import { readValue } from "../../market/readValue.ts"
import { StoredEquities } from "../../market/StoredEquities.ts"
import { getMovers } from "./getMovers.ts"

type Row = typeof getMovers["result"]["Type"]["gainers"][number]

/**
 * Converts tickers to one row per coin, for the exchange with the most turnover. The tickers must be sorted by
 * turnover, largest first.
 */
const toCoinRows = (tickers: ReadonlyArray<KrwTicker>, names: ReadonlyMap<string, string>): ReadonlyArray<Row> => {
  const largest = new Map<string, KrwTicker>()
  for (const ticker of tickers) if (!largest.has(ticker.coin)) largest.set(ticker.coin, ticker)
  return [...largest.values()].map(({ change24hPct, coin, exchange, krwPrice, volume24hKrw }) => ({
    coin,
    name: names.get(coin) ?? coin,
    exchange,
    price_krw: krwPrice,
    change_pct: change24hPct,
    turnover_krw: volume24hKrw
  }))
}

const toStockRow = ({ changePct, exchange, name, price, symbol, turnover }: StockQuote): Row => ({
  symbol,
  name,
  exchange,
  price_krw: price,
  change_pct: changePct,
  turnover_krw: turnover
})

/** Returns undefined if no source of the market is configured, so that a request for all markets skips this market. */
const undefinedIfNotConfigured = <A>(read: MarketRead<A>): Effect.Effect<Reading<A> | undefined, MarketError> =>
  Effect.catchIf(
    read,
    (error) => error._tag === "SourceUnavailable" && error.failure === "not_configured",
    () => Effect.succeed(undefined)
  )

const compareTurnover = (a: Row, b: Row): number => (b.turnover_krw ?? -1) - (a.turnover_krw ?? -1)

export const handler = handlerOf(
  getMovers,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const korea = yield* KoreanCoinMarkets
    const equities = yield* StoredEquities
    const readCoinRows: MarketRead<ReadonlyArray<Row>> = Effect.gen(function*() {
      const reading = yield* korea.tickers
      const names = new Map((yield* readValue(prices.coins)).map(({ coin, name }) => [coin, name]))
      return mapReading(reading, (tickers) => toCoinRows(tickers, names))
    })
    const readStockRows: MarketRead<ReadonlyArray<Row>> = Effect.gen(function*() {
      return mapReading(yield* equities.quotes("KR"), (quotes) => quotes.map(toStockRow))
    })
    return Effect.fnUntraced(function*({ market, top }) {
      const coinReading = market === "stock" ? undefined : yield* readCoinRows
      const stockReading = market === "crypto"
        ? undefined
        : yield* (market === "stock" ? readStockRows : undefinedIfNotConfigured(readStockRows))
      const rows = [...coinReading?.value ?? [], ...stockReading?.value ?? []]
      const [first, ...others] = [coinReading, stockReading].filter((one) => one !== undefined)
      if (first === undefined || rows.length === 0) {
        return yield* new NoData({ subject: "movers", reason: { key: "none_krw_market_open" } })
      }
      const rowsWithChange = rows.flatMap((row) => row.change_pct === null ? [] : [{ row, change: row.change_pct }])
      const gainers = rowsWithChange.filter(({ change }) => change > 0).sort((a, b) => b.change - a.change)
      const losers = rowsWithChange.filter(({ change }) => change < 0).sort((a, b) => a.change - b.change)
      const notes: Array<string> = []
      if (market === "all" && stockReading === undefined) {
        notes.push(
          "Only coins: no source of Korean stocks is configured. A call with `market: stock` returns the required setting."
        )
      }
      if (stockReading !== undefined && coinReading !== undefined) {
        notes.push(
          "Changes of coins are over 24 hours, and of stocks since the previous session's close, so the periods differ."
        )
      }
      if (rowsWithChange.length < rows.length) {
        notes.push(
          `No change because the instrument is new or the change is unknown: ${rows.length - rowsWithChange.length}.`
        )
      }
      return {
        market,
        gainers: gainers.slice(0, top).map(({ row }) => row),
        losers: losers.slice(0, top).map(({ row }) => row),
        turnover: rows.toSorted(compareTurnover).slice(0, top),
        n: rows.length,
        coins_at: coinReading === undefined ? null : formatInstant(coinReading.asOf),
        stocks_at: stockReading === undefined ? null : formatInstant(stockReading.asOf),
        notes,
        ...provenanceOf(first, ...others)
      }
    })
  })
)
