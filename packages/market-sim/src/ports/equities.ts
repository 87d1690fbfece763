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
import { vixName } from "../equity/Indices.ts"
import type { StockWithMarket } from "../equity/stockWithMarket.ts"
import type { World } from "../world.ts"
import { findListedStock, findTradedStock, requireData } from "./lookup.ts"
import { simulatedReading } from "./source.ts"

const compareBySymbol = (a: { readonly symbol: string }, b: { readonly symbol: string }): number =>
  a.symbol < b.symbol ? -1 : 1

/** Returns the close of a stock in a session, and the previous close adjusted for splits. */
const makeSessionClose = ({ market, spec }: StockWithMarket, closeAt: number): SessionClose => ({
  symbol: spec.symbol,
  time: closeAt,
  close: market.price(closeAt),
  previousClose: market.getPreviousClose(closeAt)
})

/** Returns the time of the newest price in a quote, including prices from extended trading hours. */
const getNewestQuoteTime = ({ extended, time }: StockQuote): number => extended?.time ?? time

export const makeStoredEquities = (world: World): StoredEquities["Service"] => {
  const { equities } = world
  const makeReading = <A extends { readonly time: number }>(
    series: ReadonlyArray<A>,
    now: number,
    getTime: (item: A) => number = ({ time }) => time
  ) => simulatedReading(series, series.length === 0 ? now : Math.max(...series.map(getTime)))

  const indexHistory: StoredEquities["Service"]["indexHistory"] = Effect.fnUntraced(function*({ index, bars, until }) {
    const now = yield* Clock.currentTimeMillis
    const end = Math.min(until ?? now, now)
    if (index === vixName) {
      // The candles of closed sessions are cached, so the loop lets other fibers run between two sessions.
      for (const _ of equities.indices.iterateVixCandles(bars, end)) yield* Effect.yieldNow
    }
    const candles = equities.indices.getHistory(index, bars, end)
    if (candles === undefined) return yield* new UnknownSymbol({ symbol: index })
    yield* requireData(candles, index, "history")
    return simulatedReading(candles, equities.indices.getLastTradeTime(index, end))
  })

  const pricesAt: StoredEquities["Service"]["pricesAt"] = ({ country, time }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const at = Math.min(time, now)
      const prices = equities.getTradedStocks(country, at)
        .map(({ market, spec }): StockPrice => ({
          symbol: spec.symbol,
          time: market.getLastTradeTime(at),
          price: market.price(at)
        }))
      return makeReading(prices.sort(compareBySymbol), now)
    })

  const closes: StoredEquities["Service"]["closes"] = ({ country, until }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const end = Math.min(until ?? now, now)
      const currentSession = lastSession(country, end)
      const session = currentSession.closeAt <= end ? currentSession : previousSession(country, currentSession.day)
      const traded = equities.getTradedStocks(country, session.openAt)
      return makeReading(traded.map((listed) => makeSessionClose(listed, session.closeAt)).sort(compareBySymbol), now)
    })

  return StoredEquities.of({
    quotes: Effect.fnUntraced(function*(country) {
      const now = yield* Clock.currentTimeMillis
      // The first quote of a stock reads a year of prices, so the loop lets other fibers run between two stocks.
      for (const listed of equities.getTradedStocks(country, now)) {
        equities.getQuote(listed, now)
        yield* Effect.yieldNow
      }
      return makeReading(equities.getQuotes(country, now), now, getNewestQuoteTime)
    }),
    indexQuotes: (country) =>
      Effect.map(Clock.currentTimeMillis, (now) => makeReading(equities.indices.getQuotes(country, now), now)),
    indexHistory,
    pricesAt,
    closes
  })
}

/** Returns the time at which a stock was delisted, or null if the stock is still listed at `now`. */
const getDelistingTime = ({ market: { delistedAt } }: StockWithMarket, now: number): number | null =>
  delistedAt !== null && delistedAt <= now ? delistedAt : null

/** Creates the methods of `EquityMarkets` about prices: facts, quotes, candles and market summaries. */
export const makeEquityPrices = (
  world: World
): Pick<EquityMarkets["Service"], "stocks" | "stock" | "quote" | "history" | "market"> => {
  const makeStock = (listed: StockWithMarket, now: number): Stock => {
    const { symbol, name, koreanName, country, exchange, currency, sector } = listed.spec
    return {
      symbol,
      name,
      koreanName,
      country,
      exchange,
      currency,
      sector,
      sharesOutstanding: world.equities.getSharesOutstanding(listed, now),
      listedAt: listed.market.listedAt,
      delistedAt: getDelistingTime(listed, now)
    }
  }
  return {
    stocks: (country: EquityCountry) =>
      Effect.map(
        Clock.currentTimeMillis,
        (now) => {
          const listed = world.equities.getStocks(country).filter(({ market }) => market.listedAt <= now)
          return simulatedReading(listed.map((one) => makeStock(one, now)).sort(compareBySymbol), now)
        }
      ),
    stock: (symbol) =>
      Effect.map(findListedStock(world, symbol), ({ listed, now }) => simulatedReading(makeStock(listed, now), now)),
    quote: (symbol) =>
      Effect.map(findTradedStock(world, symbol), ({ listed, now }) => {
        const quote = world.equities.getQuote(listed, now)
        return simulatedReading(quote, getNewestQuoteTime(quote))
      }),
    history: Effect.fnUntraced(function*(query) {
      const { listed, now } = yield* findListedStock(world, query.symbol)
      const end = Math.min(query.until ?? now, now)
      const found = listed.market.history(query.timeframe, query.bars, end, query.adjusted ?? true)
      yield* requireData(found.candles, query.symbol, "history")
      return simulatedReading(found, listed.market.getLastTradeTime(end))
    }),
    market: Effect.fnUntraced(function*(country) {
      const now = yield* Clock.currentTimeMillis
      // The first summary reads two sessions of each stock and index, so the loop lets other fibers run between two
      // stocks.
      for (const listed of world.equities.getTradedStocks(country, now)) {
        world.equities.getSessionQuote(listed, now)
        yield* Effect.yieldNow
      }
      const summary = world.equities.getMarketSummary(country, now)
      return simulatedReading(summary, Math.max(summary.time, ...summary.futures.map(({ time }) => time)))
    })
  }
}
