import { Effect } from "effect"
import { coinVenueCollectors } from "../collect/index.ts"
import { deribitVolatilityCollectors } from "../deribit/volatilityCollectors.ts"
import { makeDexActivityCollector } from "../geckoTerminal/dexActivityCollector.ts"
import { CoinVenues } from "./CoinVenues.ts"
import { krwAndCoinFactsCollectors } from "./krwAndCoinFacts.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { feedCollectors } from "./newsAndPosts.ts"
import { stockCollectors } from "./stocks.ts"

const venueCollectors = ({ candleDays, coins, derivativeDays, priceDays }: LiveSettings) =>
  Effect.map(CoinVenues, (venues) =>
    coinVenueCollectors(venues, {
      ...(candleDays === undefined ? {} : { candleDays }),
      ...(coins === undefined ? {} : { coins }),
      ...(derivativeDays === undefined ? {} : { derivativeDays }),
      ...(priceDays === undefined ? {} : { priceDays }),
      includeFacts: false
    }))

const onChainCollectors = ({ coins }: LiveSettings) =>
  Effect.map(makeDexActivityCollector(coins === undefined ? {} : { coins }), (one) => [one])

/**
 * Creates the collectors of all sources in one list. The collectors of one source must be in the same list, because
 * they share one leader.
 */
export const liveCollectors = (settings: LiveSettings) =>
  Effect.map(
    Effect.all([
      venueCollectors(settings),
      onChainCollectors(settings),
      deribitVolatilityCollectors,
      stockCollectors(settings),
      krwAndCoinFactsCollectors(settings),
      feedCollectors(settings)
    ]),
    (all) => all.flat()
  )
