/** Implements `EquityMarkets.market` with Yahoo's quotes of indices, futures and listed stocks. */
import {
  type EquityCountry,
  type EquityMarketSummary,
  makeReading,
  type MarketError,
  type Reading,
  type SectorMove,
  sessionState,
  type StockQuote
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { noneRecorded, toStocksBySymbol } from "./findStocks.ts"
import type { StockList } from "./knownStocks.ts"
import { toIndexQuote, toStockQuote } from "./quotes.ts"
import { futures, indices, type NamedIndex, yahooSymbolsOf } from "./symbols.ts"
import { type Yahoo, yahooName } from "./Yahoo.ts"

/** Returns the price changes of sectors, weighted by market capitalisation, best sector first. */
const sectorMoves = (quotes: ReadonlyArray<StockQuote>): ReadonlyArray<SectorMove> => {
  const sums = new Map<string, { now: number; before: number }>()
  for (const { marketCap, previousClose, price, sector } of quotes) {
    if (sector === null || marketCap === null || previousClose === null) continue
    const sum = sums.get(sector) ?? { now: 0, before: 0 }
    sum.now += marketCap
    sum.before += marketCap * previousClose / price
    sums.set(sector, sum)
  }
  return Array.from(sums, ([sector, { before, now }]) => ({ sector, changePct: 100 * (now / before - 1) }))
    .sort((a, b) => b.changePct - a.changePct)
}

const marketBreadth = (quotes: ReadonlyArray<StockQuote>): EquityMarketSummary["breadth"] => {
  const moved = quotes.flatMap(({ previousClose, price }) =>
    previousClose === null ? [] : [Math.sign(price - previousClose)]
  )
  const count = (sign: number): number => moved.filter((one) => one === sign).length
  return { advancing: count(1), declining: count(-1), unchanged: count(0) }
}

export const makeMarketRead = (yahoo: Yahoo["Service"], listed: StockList) =>
  Effect.fnUntraced(function*(country: EquityCountry): Effect.fn.Return<Reading<EquityMarketSummary>, MarketError> {
    const isOfCountry = ({ country: of }: NamedIndex) => of === country
    const named = [...indices, ...futures].filter(isOfCountry).map(({ yahooSymbol }) => yahooSymbol)
    const { value: rows } = yield* yahoo.quotes([...named, ...listed[country].flatMap(yahooSymbolsOf)])
    const now = yield* Clock.currentTimeMillis
    const indexQuotes = (some: ReadonlyArray<NamedIndex>) =>
      some.filter(isOfCountry).flatMap((one) => toIndexQuote(one, rows.get(one.yahooSymbol), now) ?? [])
    const stocks = [...toStocksBySymbol(rows, now).values()].flatMap(({ row, stock }) =>
      toStockQuote(stock, row, now) ?? []
    )
    const [indexes, futureQuotes] = [indexQuotes(indices), indexQuotes(futures)]
    const times = [...indexes, ...stocks].map(({ time }) => time)
    if (times.length === 0) return yield* noneRecorded(country, "market")
    const time = Math.max(...times)
    return makeReading(
      {
        country,
        time,
        session: sessionState(country, now),
        indices: indexes,
        breadth: marketBreadth(stocks),
        sectors: sectorMoves(stocks),
        futures: futureQuotes,
        foreignNetKrw: null
      },
      yahooName,
      Math.max(time, ...futureQuotes.map((future) => future.time))
    )
  })
