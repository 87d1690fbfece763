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
import { Context, Layer } from "effect"
import { makeCoinDerivatives } from "./ports/coinDerivatives.ts"
import { makeCoinPrices } from "./ports/coinPrices.ts"
import { makeCompanyFacts } from "./ports/companyFacts.ts"
import { makeEquityPrices, makeStoredEquities } from "./ports/equities.ts"
import { makeExchangeRates, makeKoreanCoinMarkets } from "./ports/korea.ts"
import { makeMacroCalendar } from "./ports/macroCalendar.ts"
import { makeNewsFeed } from "./ports/newsFeed.ts"
import { makeOnchainFlows } from "./ports/onchainFlows.ts"
import { makeImpliedVolatilities, makeOptionsVenue } from "./ports/options.ts"
import { makeOrderBooks } from "./ports/orderBooks.ts"
import { makeSocialFeed } from "./ports/socialFeed.ts"
import { makeTokenMarkets } from "./ports/tokenMarkets.ts"
import { makeWorld, type World } from "./world.ts"

export { source } from "./ports/source.ts"

export interface SimMarketOptions {
  /** The seed of the simulation, which is any number or text; equal seeds give equal markets. */
  readonly seed: number | string
}

export const makeEquityMarkets = (world: World): EquityMarkets["Service"] =>
  EquityMarkets.of({ ...makeEquityPrices(world), ...makeCompanyFacts(world) })

/** Creates the market ports of a simulated world. */
export const makePorts = (world: World): Context.Context<MarketPorts> =>
  Context.make(CoinPrices, makeCoinPrices(world)).pipe(
    Context.add(CoinDerivatives, makeCoinDerivatives(world)),
    Context.add(OrderBooks, makeOrderBooks(world)),
    Context.add(OnchainFlows, makeOnchainFlows(world)),
    Context.add(SocialFeed, makeSocialFeed(world)),
    Context.add(NewsFeed, makeNewsFeed(world)),
    Context.add(KoreanCoinMarkets, makeKoreanCoinMarkets(world)),
    Context.add(ExchangeRates, makeExchangeRates(world)),
    Context.add(ImpliedVolatilities, makeImpliedVolatilities(world)),
    Context.add(StoredEquities, makeStoredEquities(world)),
    Context.add(EquityMarkets, makeEquityMarkets(world)),
    Context.add(OptionsVenue, makeOptionsVenue(world)),
    Context.add(TokenMarkets, makeTokenMarkets(world)),
    Context.add(MacroCalendar, makeMacroCalendar(world))
  )

/** Provides all market ports of `@tapeline/core` with simulated data that the seed determines. */
export const layer = ({ seed }: SimMarketOptions): Layer.Layer<MarketPorts> =>
  Layer.syncContext(() => makePorts(makeWorld(seed)))
