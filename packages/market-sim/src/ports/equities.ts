/** Implements core's `StoredEquities` and a part of `EquityMarkets`: prices of stocks and indices. */
import {
  type EquityCountry,
  type EquityMarkets,
  lastSession,
  previousSession,
  type SessionClose,
  type Stock,
  type StockPrice,
  type StockQuote,
  StoredEquities,
  UnknownSymbol
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { Listed } from "../equity/listed.ts"
import type { World } from "../world.ts"
import { listedStock, orNoData, tradedStock } from "./lookup.ts"
import { simulated } from "./source.ts"

const bySymbol = (a: { readonly symbol: string }, b: { readonly symbol: string }): number =>
  a.symbol < b.symbol ? -1 : 1

/** The close of a stock in a session, and the previous close in the same shares. */
const closeOf = ({ market, spec }: Listed, closeAt: number): SessionClose => ({
  symbol: spec.symbol,
  time: closeAt,
  close: market.price(closeAt),
  previousClose: market.previousClose(closeAt)
})

/** The newest time in a quote, including extended hours. */
const quotedAt = ({ extended, time }: StockQuote): number => extended?.time ?? time

/** The `StoredEquities` port of a world: series that the service stores. */
export const storedEquities = (world: World): StoredEquities["Service"] => {
  const { equities } = world
  const newest = <A extends { readonly time: number }>(
    series: ReadonlyArray<A>,
    now: number,
    timeOf: (item: A) => number = ({ time }) => time
  ) => simulated(series, series.length === 0 ? now : Math.max(...series.map(timeOf)))

  const indexHistory: StoredEquities["Service"]["indexHistory"] = Effect.fnUntraced(function*({ index, bars, until }) {
    const now = yield* Clock.currentTimeMillis
    const end = Math.min(until ?? now, now)
    const candles = equities.indices.history(index, bars, end)
    if (candles === undefined) return yield* new UnknownSymbol({ symbol: index })
    yield* orNoData(candles, index, "history")
    return simulated(candles, equities.indices.lastTradeAt(index, end))
  })

  const pricesAt: StoredEquities["Service"]["pricesAt"] = ({ country, time }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const at = Math.min(time, now)
      const prices = equities.trading(country, at)
        .map(({ market, spec }): StockPrice => ({
          symbol: spec.symbol,
          time: market.lastTradeAt(at),
          price: market.price(at)
        }))
      return newest(prices.sort(bySymbol), now)
    })

  const closes: StoredEquities["Service"]["closes"] = ({ country, until }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const end = Math.min(until ?? now, now)
      const running = lastSession(country, end)
      const session = running.closeAt <= end ? running : previousSession(country, running.day)
      const traded = equities.trading(country, session.openAt)
      return newest(traded.map((listed) => closeOf(listed, session.closeAt)).sort(bySymbol), now)
    })

  return StoredEquities.of({
    quotes: Effect.fnUntraced(function*(country) {
      const now = yield* Clock.currentTimeMillis
      // The first quote of a stock reads a year of prices, so other fibers can run between two stocks.
      for (const listed of equities.trading(country, now)) {
        equities.quote(listed, now)
        yield* Effect.yieldNow
      }
      return newest(equities.quotes(country, now), now, quotedAt)
    }),
    indexQuotes: (country) =>
      Effect.map(Clock.currentTimeMillis, (now) => newest(equities.indices.quotes(country, now), now)),
    indexHistory,
    pricesAt,
    closes
  })
}

/** The time at which a stock was delisted. Null if it is still listed at `now`. */
const delistedBy = ({ market: { delistedAt } }: Listed, now: number): number | null =>
  delistedAt !== null && delistedAt <= now ? delistedAt : null

/** The part of `EquityMarkets` about prices: facts, quotes, bars, market summaries. */
export const equityPricesPart = (
  world: World
): Pick<EquityMarkets["Service"], "stocks" | "stock" | "quote" | "history" | "market"> => {
  const stockOf = (listed: Listed, now: number): Stock => {
    const { symbol, name, koreanName, country, exchange, currency, sector } = listed.spec
    return {
      symbol,
      name,
      koreanName,
      country,
      exchange,
      currency,
      sector,
      sharesOutstanding: world.equities.sharesAt(listed, now),
      listedAt: listed.market.listedAt,
      delistedAt: delistedBy(listed, now)
    }
  }
  return {
    stocks: (country: EquityCountry) =>
      Effect.map(
        Clock.currentTimeMillis,
        (now) => {
          const listed = world.equities.listed(country).filter(({ market }) => market.listedAt <= now)
          return simulated(listed.map((one) => stockOf(one, now)).sort(bySymbol), now)
        }
      ),
    stock: (symbol) =>
      Effect.map(listedStock(world, symbol), ({ listed, now }) => simulated(stockOf(listed, now), now)),
    quote: (symbol) =>
      Effect.map(tradedStock(world, symbol), ({ listed, now }) => {
        const quote = world.equities.quote(listed, now)
        return simulated(quote, quotedAt(quote))
      }),
    history: Effect.fnUntraced(function*(query) {
      const { listed, now } = yield* listedStock(world, query.symbol)
      const end = Math.min(query.until ?? now, now)
      const found = listed.market.history(query.timeframe, query.bars, end, query.adjusted ?? true)
      yield* orNoData(found.candles, query.symbol, "history")
      return simulated(found, listed.market.lastTradeAt(end))
    }),
    market: (country) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const summary = world.equities.summary(country, now)
        return simulated(summary, Math.max(summary.time, ...summary.futures.map(({ time }) => time)))
      })
  }
}
