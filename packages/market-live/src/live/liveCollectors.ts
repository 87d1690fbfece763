import { Effect } from "effect"
import { BybitMarket } from "../bybit/market.ts"
import {
  binanceCollectors,
  bybitCollectors,
  bybitPerpetualVenue,
  bybitSpotVenue,
  okxCollectors,
  okxOrderBookVenue,
  okxPerpetualVenue,
  okxSpotVenue,
  trackedCoins
} from "../collect/index.ts"
import { deribitVolatilityCollectors } from "../deribit/volatilityCollectors.ts"
import { makeDexActivityCollector } from "../geckoTerminal/dexActivityCollector.ts"
import { OkxMarket } from "../okx/market.ts"
import { SourceHealth } from "../source/index.ts"
import { krwAndCoinFactsCollectors } from "./krwAndCoinFacts.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { feedCollectors } from "./newsAndPosts.ts"
import { stockCollectors } from "./stocks.ts"

/**
 * Creates the collectors of coins and derivatives on three venues. A spot market is collected from the first available
 * venue, and contracts from each venue.
 */
const venueCollectors = Effect.fnUntraced(
  function*({ candleDays, coins = trackedCoins, derivativeDays, priceDays, reconnectPolicy = {}, urls }: LiveSettings) {
    const [bybit, okx, health] = yield* Effect.all([BybitMarket, OkxMarket, SourceHealth])
    const { binanceStreams: streamsUrl, bybitStreams, okxStreams } = urls ?? {}
    const streamOptions = (baseUrl: string | undefined) =>
      baseUrl === undefined ? { reconnectPolicy } : { baseUrl, reconnectPolicy }
    const binance = yield* binanceCollectors({
      ...(candleDays === undefined ? {} : { candleDays }),
      ...(priceDays === undefined ? {} : { priceDays }),
      ...(derivativeDays === undefined ? {} : { derivativeDays }),
      coins,
      includeFacts: false,
      reconnectPolicy,
      ...(streamsUrl === undefined ? {} : { streamsUrl })
    }, {
      spot: [bybitSpotVenue(bybit), okxSpotVenue(okx)],
      books: [okxOrderBookVenue(okx)],
      perpetuals: [bybitPerpetualVenue(bybit, coins), okxPerpetualVenue(okx, coins)]
    })
    return [
      ...binance,
      ...bybitCollectors(bybit, coins, streamOptions(bybitStreams), health),
      ...okxCollectors(okx, coins, streamOptions(okxStreams), health)
    ]
  }
)

const onChainCollectors = ({ coins }: LiveSettings) =>
  Effect.map(makeDexActivityCollector(coins === undefined ? {} : { coins }), (one) => [one])

/** Creates all collectors of all sources in one list, because each source has one leader. */
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
