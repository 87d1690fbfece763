import { Context, Effect, Layer } from "effect"
import { SourceHealth } from "../source/index.ts"
import type { CoinVenueDefinition } from "../venues/CoinVenue.ts"
import { makeBinanceDerivativesCollectors } from "./derivativesCollectors.ts"
import { binanceLiquidationsCollector } from "./liquidationsCollector.ts"
import { BinancePerpetuals, layerBinancePerpetuals } from "./perpetuals.ts"
import { binancePerpetualVenue, perpetualsByCoin } from "./perpetualVenue.ts"
import { BinanceSpot, layerBinanceSpot } from "./spot.ts"
import { binanceOrderBookVenue, binanceSpotVenue } from "./spotVenue.ts"

export const binance: CoinVenueDefinition = {
  name: "binance",
  sources: {
    spot: "binance/spot",
    orderBooks: "binance/spot",
    perpetuals: "binance/futures",
    takerFlow: "binance/futures"
  },
  hasEveryLiquidation: false,
  make: Effect.fnUntraced(function*({ coins, reconnectPolicy, retryPolicy, urls }) {
    const context = yield* Layer.build(Layer.mergeAll(
      layerBinanceSpot({ baseUrl: urls.binanceSpot, retryPolicy }),
      layerBinancePerpetuals({ baseUrl: urls.binanceFutures, retryPolicy })
    ))
    const [spot, futures] = [Context.get(context, BinanceSpot), Context.get(context, BinancePerpetuals)]
    const perpetuals = perpetualsByCoin(futures, coins)
    return {
      spot: binanceSpotVenue(spot),
      orderBooks: binanceOrderBookVenue(spot),
      perpetuals: binancePerpetualVenue(futures, coins),
      collectors: [
        ...makeBinanceDerivativesCollectors(futures, perpetuals),
        binanceLiquidationsCollector(
          perpetuals,
          { baseUrl: urls.binanceStreams, reconnectPolicy },
          yield* SourceHealth
        )
      ]
    }
  })
}
