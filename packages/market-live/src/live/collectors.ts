import { Effect } from "effect"
import {
  binanceCollectors,
  bybitCollectors,
  bybitPerpetualVenue,
  bybitSpotVenue,
  okxBookVenue,
  okxCollectors,
  okxPerpetualVenue,
  okxSpotVenue,
  trackedCoins
} from "../collect/index.ts"
import { SourceHealth } from "../source/index.ts"
import { BybitMarket } from "../sources/bybit/market.ts"
import { deribitVolatilities } from "../sources/deribit/collectors.ts"
import { dexActivityCollector } from "../sources/dex/dexActivity.ts"
import { OkxMarket } from "../sources/okx/market.ts"
import { feedCollectors } from "./feeds.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { stockCollectors } from "./stocks.ts"
import { wonAndFactsCollectors } from "./wonAndFacts.ts"

/**
 * The collectors of coins and their derivatives on three venues. Spot markets use the first venue that serves,
 * contracts use each venue.
 */
const venueCollectors = (
  { candleDays, coins = trackedCoins, derivativeDays, priceDays, socketPatience: patience = {}, urls }: LiveSettings
) =>
  Effect.gen(function*() {
    const [bybit, okx, health] = yield* Effect.all([BybitMarket, OkxMarket, SourceHealth])
    const { binanceStreams: streamsUrl, bybitStreams, okxStreams } = urls ?? {}
    const at = (baseUrl: string | undefined) => baseUrl === undefined ? { patience } : { baseUrl, patience }
    const binance = yield* binanceCollectors({
      ...(candleDays === undefined ? {} : { candleDays }),
      ...(priceDays === undefined ? {} : { priceDays }),
      ...(derivativeDays === undefined ? {} : { derivativeDays }),
      coins,
      facts: false,
      socketPatience: patience,
      ...(streamsUrl === undefined ? {} : { streamsUrl })
    }, {
      spot: [bybitSpotVenue(bybit), okxSpotVenue(okx)],
      books: [okxBookVenue(okx)],
      perpetuals: [bybitPerpetualVenue(bybit, coins), okxPerpetualVenue(okx, coins)]
    })
    return [
      ...binance,
      ...bybitCollectors(bybit, coins, at(bybitStreams), health),
      ...okxCollectors(okx, coins, at(okxStreams), health)
    ]
  })

const onChain = ({ coins }: LiveSettings) =>
  Effect.map(dexActivityCollector(coins === undefined ? {} : { coins }), (one) => [one])

/** All collectors of all sources, as one list, because each source has one lead. */
export const liveCollectors = (settings: LiveSettings) =>
  Effect.map(
    Effect.all([
      venueCollectors(settings),
      onChain(settings),
      deribitVolatilities,
      stockCollectors(settings),
      wonAndFactsCollectors(settings),
      feedCollectors(settings)
    ]),
    (all) => all.flat()
  )
