/**
 * Options on coins behind core's `OptionsVenue`, and the history of their implied volatility.
 */
import { type MarketStore, NoData, OptionsVenue } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { makeOptionBook, type OptionBook } from "../options/chain.ts"
import { coinsWithOptions, coinUnderlying } from "../options/underlying.ts"
import type { World } from "../world.ts"
import { listedCoin } from "./lookup.ts"

const defaultLimit = 1_000

/** Finds a coin's options and the present, or the error that says why not. */
const makeFinder = (world: World) => {
  const books = new Map<string, OptionBook>()
  for (const coin of coinsWithOptions) {
    const underlying = coinUnderlying(world.coin(coin)!, world.derivatives, world.key)
    if (underlying !== undefined) books.set(coin, makeOptionBook(underlying))
  }
  return Effect.fnUntraced(function*(coin: string) {
    const { market, now } = yield* listedCoin(world, coin)
    const book = books.get(coin)
    if (book === undefined) {
      return yield* new NoData({
        subject: `${coin} options`,
        reason: { key: "none_with_options", params: { coin, listed: coinsWithOptions.join(", ") } }
      })
    }
    return { book, market, now }
  })
}

/** `OptionsVenue` of a world. */
export const optionsVenue = (world: World, source: string): OptionsVenue["Service"] => {
  const find = makeFinder(world)
  return OptionsVenue.of({
    source,
    underlyings: Effect.map(
      Clock.currentTimeMillis,
      (now) => coinsWithOptions.filter((coin) => world.coin(coin)!.listedAt <= now)
    ),
    chain: Effect.fnUntraced(function*({ coin, expiryAt }) {
      const { book, now } = yield* find(coin)
      const chain = book.chain(now, expiryAt)
      if (chain === undefined) {
        return yield* new NoData({
          subject: `${coin} options`,
          reason: { key: "none_at_expiry", params: { symbol: coin } }
        })
      }
      return chain
    }),
    trades: Effect.fnUntraced(function*({ coin, from, to, limit }) {
      const { book, market, now } = yield* find(coin)
      return book.trades(Math.max(from, market.listedAt), Math.min(to, now + 1), limit ?? defaultLimit)
    })
  })
}

/** The part of `MarketStore` about implied volatility. */
export const impliedVolatilityPart = (world: World): Pick<MarketStore["Service"], "ivHistory"> => {
  const find = makeFinder(world)
  return {
    ivHistory: Effect.fnUntraced(function*({ coin, days }) {
      const { book, market, now } = yield* find(coin)
      const points = book.ivHistory(now, days).filter((point) => point.time >= market.listedAt)
      if (points.length === 0) {
        return yield* new NoData({
          subject: `${coin} implied volatility`,
          reason: { key: "none_so_long", params: { symbol: coin } }
        })
      }
      return points
    })
  }
}
