/**
 * The simulated market behind core's ports.
 */
import { MarketStore } from "@tapeline/core/market/MarketStore"
import { Layer } from "effect"
import { coinsPart } from "./store/coins.ts"
import { koreaPart } from "./store/korea.ts"
import { onchainPart } from "./store/onchain.ts"
import { perpetualsPart } from "./store/perpetuals.ts"
import { unsimulatedPart } from "./store/unsimulated.ts"
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
    ...unsimulatedPart
  })

/** The simulated market of a seed. */
export const layer = ({ seed }: SimMarketOptions): Layer.Layer<MarketStore> =>
  Layer.sync(MarketStore, () => marketStore(makeWorld(seed)))
