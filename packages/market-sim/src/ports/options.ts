import { ImpliedVolatilities, NoData, OptionsVenue } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { makeOptionBook, type OptionBook } from "../options/chain.ts"
import { coinsWithOptions, makeCoinUnderlying } from "../options/underlying.ts"
import type { World } from "../world.ts"
import { findListedCoin } from "./lookup.ts"
import { getNewestTime, simulatedReading } from "./source.ts"

const defaultLimit = 1_000

/**
 * Creates a function that finds the options of a coin. Fails if the coin is unknown, is not listed yet, or has no
 * options.
 */
const makeOptionFinder = (world: World) => {
  const books = new Map<string, OptionBook>()
  for (const coin of coinsWithOptions) {
    const underlying = makeCoinUnderlying(world.coin(coin)!, world.derivatives, world.getKey)
    if (underlying !== undefined) books.set(coin, makeOptionBook(underlying))
  }
  return Effect.fnUntraced(function*(coin: string) {
    const { market, now } = yield* findListedCoin(world, coin)
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

export const makeOptionsVenue = (world: World): OptionsVenue["Service"] => {
  const findOptions = makeOptionFinder(world)
  return OptionsVenue.of({
    underlyings: Effect.map(
      Clock.currentTimeMillis,
      (now) => simulatedReading(coinsWithOptions.filter((coin) => world.coin(coin)!.listedAt <= now), now)
    ),
    chain: Effect.fnUntraced(function*({ coin, expiryAt }) {
      const { book, now } = yield* findOptions(coin)
      const chain = book.chain(now, expiryAt)
      if (chain === undefined) {
        return yield* new NoData({
          subject: `${coin} options`,
          reason: { key: "none_at_expiry", params: { symbol: coin } }
        })
      }
      return simulatedReading(chain, now)
    }),
    trades: Effect.fnUntraced(function*({ coin, from, to, limit }) {
      const { book, market, now } = yield* findOptions(coin)
      const trades = book.trades(Math.max(from, market.listedAt), Math.min(to, now + 1), limit ?? defaultLimit)
      return simulatedReading(trades, getNewestTime(trades, now))
    })
  })
}

export const makeImpliedVolatilities = (world: World): ImpliedVolatilities["Service"] => {
  const findOptions = makeOptionFinder(world)
  return ImpliedVolatilities.of({
    history: Effect.fnUntraced(function*({ coin, days, maturityDays, method = "atm_interpolated" }) {
      const { book, market, now } = yield* findOptions(coin)
      const points = method === "index"
        ? []
        : book.ivHistory(now, days, maturityDays).filter((point) => point.time >= market.listedAt)
      if (points.length === 0) {
        return yield* new NoData({
          subject: `${coin} implied volatility`,
          reason: { key: "none_recorded", params: { symbol: coin } }
        })
      }
      return simulatedReading({ method, maturityDays, since: market.listedAt, points }, getNewestTime(points, now))
    })
  })
}
