/** What is collected of coins beside their markets: facts, supplies, and the capitalisation of the whole market. */
import { MarketStore } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { CoinGecko } from "../../sources/caps/CoinGecko.ts"
import { CoinPaprika } from "../../sources/caps/CoinPaprika.ts"
import type { Collector } from "../collector.ts"
import { Listings } from "../spot/Listings.ts"
import type { SpotVenue } from "../spot/SpotVenue.ts"
import { type TrackedCoin, trackedCoins } from "../trackedCoins.ts"
import { VenueOrder } from "../VenueOrder.ts"
import { coinFacts } from "./facts.ts"
import { wholeMarketSeries } from "./wholeMarket.ts"

export interface CoinCollectorsOptions {
  readonly coins?: ReadonlyArray<TrackedCoin>
  /** Where coins are listed, in their order. */
  readonly venues: readonly [SpotVenue, ...ReadonlyArray<SpotVenue>]
}

/** Facts of coins and the whole market. Nobody else may write facts of coins beside it. */
export const coinCollectors = (
  { coins = trackedCoins, venues }: CoinCollectorsOptions
): Effect.Effect<ReadonlyArray<Collector>, never, CoinPaprika | CoinGecko | MarketStore> =>
  Effect.gen(function*() {
    const [paprika, gecko, store] = yield* Effect.all([CoinPaprika, CoinGecko, MarketStore])
    const listings = new Listings(new VenueOrder(venues), coins)
    const lists = [{ source: "coinpaprika", list: paprika }, { source: "coingecko", list: gecko }] as const
    return [coinFacts({ coins, store, lists, listed: listings.listed }), wholeMarketSeries({ lists })]
  })
