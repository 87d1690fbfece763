import { Effect } from "effect"
import { binanceCollectors, bybitSpotVenue, okxSpotVenue } from "../collect/index.ts"
import { BybitMarket } from "../sources/bybit/market.ts"
import { deribitVolatilities } from "../sources/deribit/collectors.ts"
import { OkxMarket } from "../sources/okx/market.ts"
import type { LiveSettings } from "./LiveSettings.ts"

/** All that is collected, of every source: one list, since each source has one lead. */
export const liveCollectors = (
  { candleDays, coins, derivativeDays, priceDays, socketPatience, urls }: LiveSettings
) => {
  const { binanceStreams: streamsUrl } = urls ?? {}
  return Effect.map(
    Effect.all([
      Effect.flatMap(Effect.all([BybitMarket, OkxMarket]), ([bybit, okx]) =>
        binanceCollectors({
          ...(candleDays === undefined ? {} : { candleDays }),
          ...(priceDays === undefined ? {} : { priceDays }),
          ...(derivativeDays === undefined ? {} : { derivativeDays }),
          ...(coins === undefined ? {} : { coins }),
          ...(socketPatience === undefined ? {} : { socketPatience }),
          ...(streamsUrl === undefined ? {} : { streamsUrl })
        }, [bybitSpotVenue(bybit), okxSpotVenue(okx)])),
      deribitVolatilities
    ]),
    (all) => all.flat()
  )
}
