/**
 * The parts of `MarketStore` and of `EquityMarkets` about prices of stocks and indices.
 */
import {
  type EquityCountry,
  type EquityMarkets,
  type MarketStore,
  type Stock,
  UnknownSymbol
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { World } from "../world.ts"
import { orNoData } from "./lookup.ts"

/** The stocks' and indices' last quotes that the service keeps for itself. */
export const equitiesPart = (world: World) => {
  const indexHistory: MarketStore["Service"]["indexHistory"] = Effect.fnUntraced(function*({ index, bars, until }) {
    const now = yield* Clock.currentTimeMillis
    const candles = world.equities.indices.history(index, bars, Math.min(until ?? now, now))
    if (candles === undefined) return yield* new UnknownSymbol({ symbol: index })
    return yield* orNoData(candles, index, "history")
  })
  return {
    stockQuotes: (country: EquityCountry) =>
      Effect.map(Clock.currentTimeMillis, (now) => world.equities.quotes(country, now)),
    indexQuotes: (country: EquityCountry) =>
      Effect.map(Clock.currentTimeMillis, (now) => world.equities.indices.quotes(country, now)),
    indexHistory
  }
}

type Listed = NonNullable<ReturnType<World["equities"]["stock"]>>

/** A stock of any country, and the present. */
export const listedStock: (world: World, symbol: string) => Effect.Effect<
  { readonly listed: Listed; readonly now: number },
  UnknownSymbol
> = Effect.fnUntraced(function*(world, symbol) {
  const now = yield* Clock.currentTimeMillis
  const listed = world.equities.stock(symbol)
  if (listed === undefined) return yield* new UnknownSymbol({ symbol })
  return { listed, now }
})

/** Prices as a broker gives them: facts, quotes, bars, market summaries. */
export const equityPricesPart = (world: World) => {
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
      listedAt: listed.market.listedAt
    }
  }
  const history: EquityMarkets["Service"]["history"] = Effect.fnUntraced(function*(query) {
    const { listed, now } = yield* listedStock(world, query.symbol)
    const end = Math.min(query.until ?? now, now)
    const found = listed.market.history(query.timeframe, query.bars, end, query.adjusted ?? true)
    yield* orNoData(found.candles, query.symbol, "history")
    return found
  })
  return {
    stocks: (country: EquityCountry) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        world.equities.listed(country)
          .map((listed) => stockOf(listed, now))
          .sort((a, b) => a.symbol.localeCompare(b.symbol))),
    stock: (symbol: string) => Effect.map(listedStock(world, symbol), ({ listed, now }) => stockOf(listed, now)),
    quote: (symbol: string) =>
      Effect.map(listedStock(world, symbol), ({ listed, now }) => world.equities.quote(listed, now)),
    history,
    market: (country: EquityCountry) =>
      Effect.map(Clock.currentTimeMillis, (now) => world.equities.summary(country, now))
  }
}
