import {
  CoinDerivatives,
  CoinPrices,
  ImpliedVolatilities,
  KoreanCoinMarkets,
  OnchainFlows,
  OrderBooks
} from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect, Layer } from "effect"
import { trackedCoins } from "../collect/index.ts"
import { DefiLlama } from "../sources/defillama/DefiLlama.ts"
import { layerDeribitOptions } from "../sources/deribit/optionsVenue.ts"
import { layerTokenMarkets } from "../sources/dex/tokenMarkets.ts"
import { layerMacroCalendar } from "../sources/macro/layerMacroCalendar.ts"
import {
  storedCoinDerivatives,
  storedCoinPrices,
  storedImpliedVolatilities,
  storedKoreanCoinMarkets,
  storedOnchainFlows,
  storedOrderBooks,
  wonMarketsTold
} from "../stored/index.ts"
import { newsPort, postsPort } from "./feeds.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { stockPorts } from "./stocks.ts"
import { bookFeeders, coinFeeders, perpetualFeeders, takerFeeders, whileFed } from "./whileFed.ts"
import { ratesPort } from "./wonAndFacts.ts"

/** The ports over collected data. */
const collectedPorts = (settings: LiveSettings) => {
  const { coins = trackedCoins } = settings
  return Layer.mergeAll(
    whileFed(CoinPrices, storedCoinPrices, coinFeeders, { coins }),
    whileFed(OrderBooks, storedOrderBooks, bookFeeders, { coins, inTurn: { orderBook: { feeders: bookFeeders } } }),
    whileFed(CoinDerivatives, storedCoinDerivatives({ wholeTapes: ["bybit"] }), perpetualFeeders, {
      coins,
      inTurn: {
        perpetual: { feeders: perpetualFeeders, kind: pointsKinds.perpetuals },
        perpetuals: { feeders: perpetualFeeders, kind: pointsKinds.perpetuals },
        perpetualHistory: { feeders: perpetualFeeders, kind: pointsKinds.perpetuals },
        fundingPrints: { feeders: perpetualFeeders, kind: pointsKinds.fundingPrints },
        takerFlow: { feeders: takerFeeders, kind: pointsKinds.takerFlow }
      }
    }),
    whileFed(ImpliedVolatilities, storedImpliedVolatilities, ["deribit"]),
    whileFed(KoreanCoinMarkets, storedKoreanCoinMarkets, ["upbit", "bithumb"], { toldOnce: wonMarketsTold }),
    ratesPort(settings),
    whileFed(OnchainFlows, storedOnchainFlows, ["geckoterminal/trades"]),
    newsPort,
    postsPort
  )
}

/** The ports of tokens and pools, which request sources directly. */
const tokens = Layer.unwrap(
  Effect.map(DefiLlama, ({ stablecoinFlows }) => layerTokenMarkets({ stablecoinFlows }))
)

/** All of core's market ports. */
export const livePorts = (settings: LiveSettings) =>
  Layer.mergeAll(layerDeribitOptions, layerMacroCalendar, tokens, stockPorts(settings)).pipe(
    Layer.provideMerge(collectedPorts(settings))
  )
