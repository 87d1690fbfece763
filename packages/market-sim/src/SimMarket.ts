/**
 * The simulated market behind core's ports.
 */
import { EquityMarkets, MacroCalendar, MarketStore, OptionsVenue, TokenMarkets } from "@tapeline/core/market"
import { Context, Layer } from "effect"
import { coinsPart } from "./ports/coins.ts"
import { equityFactsPart } from "./ports/companyFacts.ts"
import { equitiesPart, equityPricesPart } from "./ports/equities.ts"
import { koreaPart } from "./ports/korea.ts"
import { macroCalendar } from "./ports/macro.ts"
import { newsPart } from "./ports/news.ts"
import { onchainPart } from "./ports/onchain.ts"
import { impliedVolatilityPart, optionsVenue } from "./ports/options.ts"
import { perpetualsPart } from "./ports/perpetuals.ts"
import { socialPart } from "./ports/social.ts"
import { tokenMarkets } from "./ports/tokens.ts"
import { makeWorld, type World } from "./world.ts"

/** What every result of this market names as its source. */
export const source = "simulated"

export interface SimMarketOptions {
  /** Any number or text; the same one gives the same market everywhere. */
  readonly seed: number | string
}

/** `MarketStore` of a world. */
export const marketStore = (world: World): MarketStore["Service"] =>
  MarketStore.of({
    source,
    ...coinsPart(world),
    ...perpetualsPart(world),
    ...koreaPart(world),
    ...onchainPart(world),
    ...equitiesPart(world),
    ...impliedVolatilityPart(world),
    ...socialPart(world),
    ...newsPart(world)
  })

/** `EquityMarkets` of a world. */
export const equityMarkets = (world: World): EquityMarkets["Service"] =>
  EquityMarkets.of({ source, ...equityPricesPart(world), ...equityFactsPart(world) })

/** The simulated market of a seed: every port stands on one world. */
export const layer = ({ seed }: SimMarketOptions): Layer.Layer<
  MarketStore | EquityMarkets | OptionsVenue | TokenMarkets | MacroCalendar
> =>
  Layer.syncContext(() => {
    const world = makeWorld(seed)
    return Context.make(MarketStore, marketStore(world)).pipe(
      Context.add(EquityMarkets, equityMarkets(world)),
      Context.add(OptionsVenue, optionsVenue(world, source)),
      Context.add(TokenMarkets, tokenMarkets(world, source)),
      Context.add(MacroCalendar, macroCalendar(world, source))
    )
  })
