/** `EquityMarkets.market` from Yahoo's quotes: indices, futures, and the stocks of the list. */
import {
  type EquityCountry,
  type EquityMarketSummary,
  type MarketError,
  type Reading,
  reading,
  type SectorMove,
  sessionState,
  type StockQuote
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { noneRecorded, stocksOf } from "./find.ts"
import type { StockList } from "./knownStocks.ts"
import { indexQuoteOf, stockQuoteOf } from "./quotes.ts"
import { futures, indices, type NamedIndex, yahooSymbols } from "./symbols.ts"
import { type Yahoo, yahooName } from "./Yahoo.ts"

/** The changes of sectors, weighted by capitalisation, best first. */
const sectorsOf = (quotes: ReadonlyArray<StockQuote>): ReadonlyArray<SectorMove> => {
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

const breadthOf = (quotes: ReadonlyArray<StockQuote>): EquityMarketSummary["breadth"] => {
  const moved = quotes.flatMap(({ previousClose, price }) =>
    previousClose === null ? [] : [Math.sign(price - previousClose)]
  )
  const count = (sign: number): number => moved.filter((one) => one === sign).length
  return { advancing: count(1), declining: count(-1), unchanged: count(0) }
}

export const marketOf = (yahoo: Yahoo["Service"], listed: StockList) =>
  Effect.fnUntraced(function*(country: EquityCountry): Effect.fn.Return<Reading<EquityMarketSummary>, MarketError> {
    const own = ({ country: of }: NamedIndex) => of === country
    const named = [...indices, ...futures].filter(own).map(({ yahoo }) => yahoo)
    const { value: rows } = yield* yahoo.quotes([...named, ...listed[country].flatMap(yahooSymbols)])
    const now = yield* Clock.currentTimeMillis
    const quotedOf = (some: ReadonlyArray<NamedIndex>) =>
      some.filter(own).flatMap((one) => indexQuoteOf(one, rows.get(one.yahoo), now) ?? [])
    const stocks = [...stocksOf(rows, now).values()].flatMap(({ row, stock }) => stockQuoteOf(stock, row, now) ?? [])
    const [told, ahead] = [quotedOf(indices), quotedOf(futures)]
    const times = [...told, ...stocks].map(({ time }) => time)
    if (times.length === 0) return yield* noneRecorded(country, "market")
    const time = Math.max(...times)
    return reading(
      {
        country,
        time,
        session: sessionState(country, now),
        indices: told,
        breadth: breadthOf(stocks),
        sectors: sectorsOf(stocks),
        futures: ahead,
        foreignNetKrw: null
      },
      yahooName,
      Math.max(time, ...ahead.map((future) => future.time))
    )
  })
