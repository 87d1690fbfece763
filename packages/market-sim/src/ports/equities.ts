/**
 * Prices of stocks and indices behind core's `StoredEquities`, and their part of `EquityMarkets`.
 */
import {
  durationMs,
  type EquityCountry,
  type EquityMarkets,
  lastSession,
  previousSession,
  type SessionClose,
  type Stock,
  type StockPrice,
  StoredEquities,
  UnknownSymbol
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { World } from "../world.ts"
import { orNoData } from "./lookup.ts"
import { newestOf, simulated } from "./source.ts"

type Listed = NonNullable<ReturnType<World["equities"]["stock"]>>

/** A stock of any country, and the present. */
const listedStock: (world: World, symbol: string) => Effect.Effect<
  { readonly listed: Listed; readonly now: number },
  UnknownSymbol
> = Effect.fnUntraced(function*(world, symbol) {
  const now = yield* Clock.currentTimeMillis
  const listed = world.equities.stock(symbol)
  if (listed === undefined) return yield* new UnknownSymbol({ symbol })
  return { listed, now }
})

const bySymbol = (a: { readonly symbol: string }, b: { readonly symbol: string }): number =>
  a.symbol < b.symbol ? -1 : 1

/** How a stock ended a session; the close before it is in the same shares. */
const closeOf = ({ market, spec }: Listed, closeAt: number, before: number): SessionClose => ({
  symbol: spec.symbol,
  time: closeAt,
  close: market.price(closeAt),
  previousClose: before < market.listedAt ? null : market.previousClose(closeAt)
})

/** `StoredEquities` of a world: what the service keeps for itself. */
export const storedEquities = (world: World): StoredEquities["Service"] => {
  const { equities } = world
  const newest = <A extends { readonly time: number }>(series: ReadonlyArray<A>, now: number) =>
    simulated(series, Math.min(now, Math.max(...series.map(({ time }) => time))))

  const indexHistory: StoredEquities["Service"]["indexHistory"] = Effect.fnUntraced(function*({ index, bars, until }) {
    const now = yield* Clock.currentTimeMillis
    const candles = equities.indices.history(index, bars, Math.min(until ?? now, now))
    if (candles === undefined) return yield* new UnknownSymbol({ symbol: index })
    yield* orNoData(candles, index, "history")
    return simulated(candles, newestOf(candles, now))
  })

  const intradayCandles: StoredEquities["Service"]["intradayCandles"] = Effect.fnUntraced(function*(query) {
    const { listed, now } = yield* listedStock(world, query.symbol)
    const end = Math.min(query.until ?? now, now)
    const candles = listed.market.lastCandles(query.timeframe, query.bars, end, false)
    yield* orNoData(candles, query.symbol, "intraday candles")
    return simulated(candles, Math.min(end, candles.at(-1)!.time + durationMs[query.timeframe]))
  })

  const pricesAt: StoredEquities["Service"]["pricesAt"] = ({ country, time }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const at = Math.min(time, now)
      const prices = equities.listed(country)
        .filter(({ market }) => market.listedAt <= market.lastTradeAt(at))
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
      const before = previousSession(country, session.day).closeAt
      return newest(
        equities.listed(country).map((listed) => closeOf(listed, session.closeAt, before)).sort(bySymbol),
        now
      )
    })

  return StoredEquities.of({
    quotes: (country) => Effect.map(Clock.currentTimeMillis, (now) => newest(equities.quotes(country, now), now)),
    indexQuotes: (country) =>
      Effect.map(Clock.currentTimeMillis, (now) => newest(equities.indices.quotes(country, now), now)),
    indexHistory,
    intradayCandles,
    pricesAt,
    closes
  })
}

/** Prices as a broker gives them: facts, quotes, bars, market summaries. */
export const equityPricesPart = (
  world: World
): Pick<EquityMarkets["Service"], "stocks" | "stock" | "quote" | "history" | "market"> => {
  const stockOf = (listed: Listed, now: number): Stock => {
    const { symbol, name, country, exchange, currency, sector } = listed.spec
    return {
      symbol,
      name,
      country,
      exchange,
      currency,
      sector,
      sharesOutstanding: world.equities.sharesAt(listed, now),
      listedAt: listed.market.listedAt,
      delistedAt: null
    }
  }
  return {
    stocks: (country: EquityCountry) =>
      Effect.map(
        Clock.currentTimeMillis,
        (now) => simulated(world.equities.listed(country).map((listed) => stockOf(listed, now)).sort(bySymbol), now)
      ),
    stock: (symbol) =>
      Effect.map(listedStock(world, symbol), ({ listed, now }) => simulated(stockOf(listed, now), now)),
    quote: (symbol) =>
      Effect.map(listedStock(world, symbol), ({ listed, now }) => {
        const quote = world.equities.quote(listed, now)
        return simulated(quote, quote.time)
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
        return simulated(summary, summary.time)
      })
  }
}
