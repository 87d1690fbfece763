import { Context, Effect, Layer } from "effect"
import { SourceHealth } from "../source/index.ts"
import type { CoinVenueDefinition } from "../venues/CoinVenue.ts"
import { bybitCollectors } from "./collectors.ts"
import { BybitMarket, layerBybitMarket } from "./market.ts"
import { bybitPerpetualVenue } from "./perpetualVenue.ts"
import { bybitSpotVenue } from "./spotVenue.ts"

export const bybit: CoinVenueDefinition = {
  name: "bybit",
  sources: { spot: "bybit/market", perpetuals: "bybit/market" },
  hasEveryLiquidation: true,
  make: Effect.fnUntraced(function*({ coins, reconnectPolicy, retryPolicy, urls }) {
    const context = yield* Layer.build(layerBybitMarket({ baseUrl: urls.bybit, retryPolicy }))
    const market = Context.get(context, BybitMarket)
    return {
      spot: bybitSpotVenue(market),
      perpetuals: bybitPerpetualVenue(market, coins),
      collectors: bybitCollectors(market, coins, { baseUrl: urls.bybitStreams, reconnectPolicy }, yield* SourceHealth)
    }
  })
}
