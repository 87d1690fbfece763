import { MarketStore } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { CoinGecko } from "../coinGecko/CoinGecko.ts"
import { CoinPaprika } from "../coinPaprika/CoinPaprika.ts"
import type { Collector } from "../collect/collector.ts"
import { VenueFailover } from "../collect/VenueFailover.ts"
import { CoinListings } from "../spot/CoinListings.ts"
import type { SpotVenue } from "../spot/SpotVenue.ts"
import { makeCoinFactsCollector } from "./coinFacts.ts"
import { makeTotalMarketCapCollector } from "./totalMarketCap.ts"
import { type TrackedCoin, trackedCoins } from "./trackedCoins.ts"

export interface CoinCollectorsOptions {
  readonly coins?: ReadonlyArray<TrackedCoin>
  readonly venues: readonly [SpotVenue, ...ReadonlyArray<SpotVenue>]
}

/** Returns the collectors of total market capitalisation and coin facts. No other code may write coin facts. */
export const coinCollectors = (
  { coins = trackedCoins, venues }: CoinCollectorsOptions
): Effect.Effect<ReadonlyArray<Collector>, never, CoinPaprika | CoinGecko | MarketStore> =>
  Effect.gen(function*() {
    const [paprika, gecko, store] = yield* Effect.all([CoinPaprika, CoinGecko, MarketStore])
    const listings = new CoinListings(new VenueFailover(venues), coins)
    const coinLists = [{ source: "coinpaprika", list: paprika }, { source: "coingecko", list: gecko }] as const
    return [
      makeCoinFactsCollector({ coins, store, coinLists, fetchListings: listings.listed }),
      makeTotalMarketCapCollector({ coinLists })
    ]
  })
