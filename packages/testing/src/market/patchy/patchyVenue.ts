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
import { patchDerivatives } from "./derivatives.ts"
import { patchEquities, patchMacro, patchStored, patchTokens } from "./externals.ts"
import { patchBooks, patchNews, patchOnchain, patchSocial } from "./feeds.ts"
import { patchKorea, patchRates, patchVolatilities } from "./korea.ts"
import { patchedBy, type Patches } from "./patches.ts"
import { patchPrices } from "./prices.ts"

export type { Patches } from "./patches.ts"

/**
 * An incomplete market over a complete one, with the defects of real markets. It has outages in every series, some of
 * them backfilled, delisted coins, and coins with few facts. Funding has its own intervals and late stamps. Data of
 * stocks, tokens and calendars is incomplete. All remaining data equals that of the complete market.
 *
 * It keeps the contracts of the ports. A tool that is correct over it is therefore correct over any market that keeps
 * them.
 */
export const patchyVenue = (patches: Patches): Layer.Layer<MarketPorts, never, MarketPorts> =>
  Layer.effectContext(Effect.map(Effect.context<MarketPorts>(), (whole) => {
    const patched = patchedBy(patches)
    const of = <I extends MarketPorts, S>(port: Context.Key<I, S>): S => Context.get(whole, port)
    return Context.make(CoinPrices, patchPrices(of(CoinPrices), patched)).pipe(
      Context.add(CoinDerivatives, patchDerivatives(of(CoinDerivatives), patched)),
      Context.add(OrderBooks, patchBooks(of(OrderBooks), patched)),
      Context.add(OnchainFlows, patchOnchain(of(OnchainFlows), patched)),
      Context.add(SocialFeed, patchSocial(of(SocialFeed), patched)),
      Context.add(NewsFeed, patchNews(of(NewsFeed), patched)),
      Context.add(KoreanCoinMarkets, patchKorea(of(KoreanCoinMarkets), patched)),
      Context.add(ExchangeRates, patchRates(of(ExchangeRates), patched)),
      Context.add(ImpliedVolatilities, patchVolatilities(of(ImpliedVolatilities), patched)),
      Context.add(StoredEquities, patchStored(of(StoredEquities))),
      Context.add(EquityMarkets, patchEquities(of(EquityMarkets))),
      Context.add(OptionsVenue, of(OptionsVenue)),
      Context.add(TokenMarkets, patchTokens(of(TokenMarkets))),
      Context.add(MacroCalendar, patchMacro(of(MacroCalendar)))
    )
  }))
