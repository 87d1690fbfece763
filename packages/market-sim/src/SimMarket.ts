/** The simulated market: an implementation of core's market ports. */
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
import { orderBooks } from "./ports/books.ts"
import { coinPrices } from "./ports/coins.ts"
import { equityFactsPart } from "./ports/companyFacts.ts"
import { equityPricesPart, storedEquities } from "./ports/equities.ts"
import { exchangeRates, koreanCoinMarkets } from "./ports/korea.ts"
import { macroCalendar } from "./ports/macro.ts"
import { newsFeed } from "./ports/news.ts"
import { onchainFlows } from "./ports/onchain.ts"
import { impliedVolatilities, optionsVenue } from "./ports/options.ts"
import { coinDerivatives } from "./ports/perpetuals.ts"
import { socialFeed } from "./ports/social.ts"
import { tokenMarkets } from "./ports/tokens.ts"
import { makeWorld, type World } from "./world.ts"

export { source } from "./ports/source.ts"

export interface SimMarketOptions {
  /** Any number or text. The same seed always gives the same market. */
  readonly seed: number | string
}

/** The `EquityMarkets` port of a world. */
export const equityMarkets = (world: World): EquityMarkets["Service"] =>
  EquityMarkets.of({ ...equityPricesPart(world), ...equityFactsPart(world) })

/** All market ports of a world. */
export const portsOf = (world: World): Context.Context<MarketPorts> =>
  Context.make(CoinPrices, coinPrices(world)).pipe(
    Context.add(CoinDerivatives, coinDerivatives(world)),
    Context.add(OrderBooks, orderBooks(world)),
    Context.add(OnchainFlows, onchainFlows(world)),
    Context.add(SocialFeed, socialFeed(world)),
    Context.add(NewsFeed, newsFeed(world)),
    Context.add(KoreanCoinMarkets, koreanCoinMarkets(world)),
    Context.add(ExchangeRates, exchangeRates(world)),
    Context.add(ImpliedVolatilities, impliedVolatilities(world)),
    Context.add(StoredEquities, storedEquities(world)),
    Context.add(EquityMarkets, equityMarkets(world)),
    Context.add(OptionsVenue, optionsVenue(world)),
    Context.add(TokenMarkets, tokenMarkets(world)),
    Context.add(MacroCalendar, macroCalendar(world))
  )

/** The simulated market of a seed. All ports use one world. */
export const layer = ({ seed }: SimMarketOptions): Layer.Layer<MarketPorts> =>
  Layer.syncContext(() => portsOf(makeWorld(seed)))
