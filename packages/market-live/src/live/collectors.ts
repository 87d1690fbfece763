import { Effect } from "effect"
import { binanceCollectors } from "../collect/index.ts"
import { deribitVolatilities } from "../sources/deribit/collectors.ts"
import type { LiveSettings } from "./LiveSettings.ts"

/** All that is collected, of every source: one list, since each source has one lead. */
export const liveCollectors = (
  { candleDays, coins, derivativeDays, priceDays, socketPatience, urls }: LiveSettings
) => {
  const { binanceStreams: streamsUrl } = urls ?? {}
  return Effect.map(
    Effect.all([
      binanceCollectors({
        ...(candleDays === undefined ? {} : { candleDays }),
        ...(priceDays === undefined ? {} : { priceDays }),
        ...(derivativeDays === undefined ? {} : { derivativeDays }),
        ...(coins === undefined ? {} : { coins }),
        ...(socketPatience === undefined ? {} : { socketPatience }),
        ...(streamsUrl === undefined ? {} : { streamsUrl })
      }),
      deribitVolatilities
    ]),
    (all) => all.flat()
  )
}
