import { Context, Effect, Layer } from "effect"
import { SourceHealth } from "../source/index.ts"
import type { CoinVenueDefinition } from "../venues/CoinVenue.ts"
import { okxCollectors } from "./collectors.ts"
import { layerOkxMarket, OkxMarket } from "./market.ts"
import { okxPerpetualVenue } from "./perpetualVenue.ts"
import { okxOrderBookVenue, okxSpotVenue } from "./spotVenue.ts"

export const okx: CoinVenueDefinition = {
  name: "okx",
  sources: { spot: "okx/market", orderBooks: "okx/market", perpetuals: "okx/market", takerFlow: "okx/market" },
  hasEveryLiquidation: false,
  make: Effect.fnUntraced(function*({ coins, reconnectPolicy, retryPolicy, urls }) {
    const context = yield* Layer.build(layerOkxMarket({ baseUrl: urls.okx, retryPolicy }))
    const market = Context.get(context, OkxMarket)
    return {
      spot: okxSpotVenue(market),
      orderBooks: okxOrderBookVenue(market),
      perpetuals: okxPerpetualVenue(market, coins),
      collectors: okxCollectors(market, coins, { baseUrl: urls.okxStreams, reconnectPolicy }, yield* SourceHealth)
    }
  })
}
