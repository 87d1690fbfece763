/**
 * The part of `MarketStore` about perpetuals, futures, liquidations and order books.
 */
import { durationMs, type MarketStore } from "@tapeline/core/market"
import { Effect } from "effect"
import { orderBook } from "../coin/book.ts"
import type { World } from "../world.ts"
import { listedCoin, orNoData, tradedCoin } from "./lookup.ts"
import { instants } from "./steps.ts"

const recordMs = durationMs["5m"]
/** A newly listed coin's perpetual opens with its first whole record. */
const lastRecord = (now: number): number => Math.floor(now / recordMs) * recordMs

const defaultLimit = 1000

export const perpetualsPart = (world: World) => {
  const derivativesHistory: MarketStore["Service"]["derivativesHistory"] = Effect.fnUntraced(function*(query) {
    const { market, now } = yield* tradedCoin(world, query.coin, "derivatives")
    const stepMs = Math.max(recordMs, Math.round(query.stepMs / recordMs) * recordMs)
    const from = Math.max(query.from, market.listedAt + recordMs)
    const points = instants({ from, to: query.to, stepMs }, now).map((time) => world.derivatives.point(market, time))
    return yield* orNoData(points, query.coin, "derivatives")
  })

  const fundingPrints: MarketStore["Service"]["fundingPrints"] = Effect.fnUntraced(function*({ coin, count, until }) {
    const { market, now } = yield* tradedCoin(world, coin, "funding")
    return yield* orNoData(
      world.derivatives.fundingPrints(market, count, Math.min(until ?? now, now)),
      coin,
      "funding"
    )
  })

  const liquidations: MarketStore["Service"]["liquidations"] = Effect.fnUntraced(function*(query) {
    const { market, now } = yield* tradedCoin(world, query.coin, "liquidations")
    // An event of this very second may still be followed by another: what is whole is what is returned.
    const to = Math.min(query.to, now + 1)
    const tape = world.liquidations.tape(market, query.from, to, query.minSizeUsd ?? 0, query.limit ?? defaultLimit)
    return { ...tape, gaps: [] }
  })

  return {
    derivatives: (coin: string) =>
      Effect.map(
        tradedCoin(world, coin, "derivatives"),
        ({ market, now }) => world.derivatives.point(market, Math.max(market.listedAt, lastRecord(now)))
      ),
    derivativesHistory,
    fundingPrints,
    fundingByVenue: (coin: string) =>
      Effect.map(
        tradedCoin(world, coin, "funding"),
        ({ market, now }) => world.derivatives.fundingByVenue(market, now)
      ),
    futures: (coin: string) =>
      Effect.map(tradedCoin(world, coin, "futures"), ({ market, now }) => world.derivatives.futures(market, now)),
    liquidations,
    orderBook: (coin: string) =>
      Effect.map(
        listedCoin(world, coin),
        ({ market, now }) => orderBook(market, now, world.key(`book ${coin}`))
      )
  }
}
