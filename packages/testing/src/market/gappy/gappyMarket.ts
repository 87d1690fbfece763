import {
  CoinDerivatives,
  CoinPrices,
  EquityMarkets,
  ExchangeRates,
  ImpliedVolatilities,
  KoreanCoinMarkets,
  MacroCalendar,
  type MarketPorts,
  NewsFeed,
  OnchainFlows,
  OptionsVenue,
  OrderBooks,
  SocialFeed,
  StoredEquities,
  TokenMarkets
} from "@tapeline/core/market"
import { Context, Effect, Layer } from "effect"
import { makeDefectRules, type MarketDefects } from "./defects.ts"
import { degradeDerivatives } from "./derivatives.ts"
import { degradeBooks, degradeNews, degradeOnchain, degradeSocial } from "./feeds.ts"
import { degradeKorea, degradeRates, degradeVolatilities } from "./korea.ts"
import { degradePrices } from "./prices.ts"
import { degradeEquities, degradeMacro, degradeStoredEquities, degradeTokens } from "./stocksTokensMacro.ts"

export type { MarketDefects } from "./defects.ts"

/**
 * Provides an incomplete market over a complete market, with the defects of real markets: outages, delistings, missing
 * facts, and late data.
 */
export const layerDefectiveMarket = (defects: MarketDefects): Layer.Layer<MarketPorts, never, MarketPorts> =>
  Layer.effectContext(Effect.map(Effect.context<MarketPorts>(), (completeMarket) => {
    const rules = makeDefectRules(defects)
    const getPort = <I extends MarketPorts, S>(port: Context.Key<I, S>): S => Context.get(completeMarket, port)
    return Context.make(CoinPrices, degradePrices(getPort(CoinPrices), rules)).pipe(
      Context.add(CoinDerivatives, degradeDerivatives(getPort(CoinDerivatives), rules)),
      Context.add(OrderBooks, degradeBooks(getPort(OrderBooks), rules)),
      Context.add(OnchainFlows, degradeOnchain(getPort(OnchainFlows), rules)),
      Context.add(SocialFeed, degradeSocial(getPort(SocialFeed), rules)),
      Context.add(NewsFeed, degradeNews(getPort(NewsFeed), rules)),
      Context.add(KoreanCoinMarkets, degradeKorea(getPort(KoreanCoinMarkets), rules)),
      Context.add(ExchangeRates, degradeRates(getPort(ExchangeRates), rules)),
      Context.add(ImpliedVolatilities, degradeVolatilities(getPort(ImpliedVolatilities), rules)),
      Context.add(StoredEquities, degradeStoredEquities(getPort(StoredEquities))),
      Context.add(EquityMarkets, degradeEquities(getPort(EquityMarkets))),
      Context.add(OptionsVenue, getPort(OptionsVenue)),
      Context.add(TokenMarkets, degradeTokens(getPort(TokenMarkets))),
      Context.add(MacroCalendar, degradeMacro(getPort(MacroCalendar)))
    )
  }))
