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
import { DefiLlama } from "../defiLlama/DefiLlama.ts"
import { layerDeribitOptions } from "../deribit/optionsVenue.ts"
import { layerTokenMarkets } from "../dex/tokenMarkets.ts"
import { layerMacroCalendar } from "../macro/layerMacroCalendar.ts"
import {
  hasKrwMarketData,
  storedCoinDerivatives,
  storedCoinPrices,
  storedImpliedVolatilities,
  storedKoreanCoinMarkets,
  storedOnchainFlows,
  storedOrderBooks
} from "../stored/index.ts"
import { coinVenueSources, derivativesVenues } from "./CoinVenues.ts"
import { layerRates } from "./krwAndCoinFacts.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { layerNews, layerPosts } from "./newsAndPosts.ts"
import { layerStockPorts } from "./stocks.ts"
import { withSourceHealth } from "./withSourceHealth.ts"

const layerCollectedPorts = (settings: LiveSettings) => {
  const { coins = trackedCoins } = settings
  return Layer.mergeAll(
    withSourceHealth(CoinPrices, storedCoinPrices, coinVenueSources("spot"), { coins }),
    withSourceHealth(OrderBooks, storedOrderBooks, orderBookSources, {
      coins,
      failoverMembers: { orderBook: { sources: orderBookSources } }
    }),
    withSourceHealth(CoinDerivatives, storedCoinDerivatives(derivativesVenues), perpetualSources, {
      coins,
      failoverMembers: {
        perpetual: { sources: perpetualSources, kind: pointsKinds.perpetuals },
        perpetuals: { sources: perpetualSources, kind: pointsKinds.perpetuals },
        perpetualHistory: { sources: perpetualSources, kind: pointsKinds.perpetuals },
        fundingPayments: { sources: perpetualSources, kind: pointsKinds.fundingPrints },
        takerFlow: { sources: coinVenueSources("takerFlow"), kind: pointsKinds.takerFlow }
      }
    }),
    withSourceHealth(ImpliedVolatilities, storedImpliedVolatilities, ["deribit"]),
    withSourceHealth(KoreanCoinMarkets, storedKoreanCoinMarkets, ["upbit", "bithumb"], {
      hasEverReported: hasKrwMarketData
    }),
    layerRates(settings),
    withSourceHealth(OnchainFlows, storedOnchainFlows, ["geckoterminal/trades"]),
    layerNews,
    layerPosts
  )
}

const layerTokens = Layer.unwrap(
  Effect.map(DefiLlama, ({ stablecoinFlows }) => layerTokenMarkets({ stablecoinFlows }))
)

const orderBookSources = coinVenueSources("orderBooks")
const perpetualSources = coinVenueSources("perpetuals")

export const layerLivePorts = (settings: LiveSettings) =>
  Layer.mergeAll(layerDeribitOptions, layerMacroCalendar, layerTokens, layerStockPorts(settings)).pipe(
    Layer.provideMerge(layerCollectedPorts(settings))
  )
