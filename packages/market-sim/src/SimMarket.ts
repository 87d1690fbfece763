/**
 * The simulated market behind core's ports.
 */
import { EquityMarkets, MacroCalendar, MarketStore, OptionsVenue, TokenMarkets } from "@tapeline/core/market"
import { Context, Layer } from "effect"
import { equityFactsPart } from "./equity-facts/adapter.ts"
import { macroCalendar } from "./macro/adapter.ts"
import { newsPart } from "./news/adapter.ts"
import { impliedVolatilityPart, optionsVenue } from "./options/adapter.ts"
import { socialPart } from "./social/adapter.ts"
import { coinsPart } from "./store/coins.ts"
import { equitiesPart, equityPricesPart } from "./store/equities.ts"
import { koreaPart } from "./store/korea.ts"
import { onchainPart } from "./store/onchain.ts"
import { perpetualsPart } from "./store/perpetuals.ts"
import { tokenMarkets } from "./token/adapter.ts"
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
