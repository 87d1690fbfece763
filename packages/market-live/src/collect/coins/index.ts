/** Collectors of coin data other than markets: facts, supplies, and the capitalisation of the whole market. */
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
  /** The venues that list coins, preferred first. */
  readonly venues: readonly [SpotVenue, ...ReadonlyArray<SpotVenue>]
}

/** The collectors of coin facts and of the whole market. No other collector may write coin facts in addition. */
export const coinCollectors = (
  { coins = trackedCoins, venues }: CoinCollectorsOptions
): Effect.Effect<ReadonlyArray<Collector>, never, CoinPaprika | CoinGecko | MarketStore> =>
  Effect.gen(function*() {
    const [paprika, gecko, store] = yield* Effect.all([CoinPaprika, CoinGecko, MarketStore])
    const listings = new Listings(new VenueOrder(venues), coins)
    const lists = [{ source: "coinpaprika", list: paprika }, { source: "coingecko", list: gecko }] as const
    return [coinFacts({ coins, store, lists, listed: listings.listed }), wholeMarketSeries({ lists })]
  })
