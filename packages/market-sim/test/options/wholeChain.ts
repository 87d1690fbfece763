import { type CoinPrices, type ImpliedVolatilities, type OptionsVenue, type ToolCaller } from "@tapeline/core"
import { getOptionChain } from "@tapeline/core/specifications"
import { callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { now } from "../support/markets.ts"

export { now }

/** Reads all strikes of a coin's usual expiry, for which the simulated market always reports the forward. */
export const readWholeChain = (coin: string) =>
  Effect.map(
    callTool(getOptionChain, { coin, strikes_around: 200 }),
    (chain) => ({ ...chain, forward: chain.forward ?? NaN })
  )

export type CoinCheck = readonly [
  title: string,
  check: (
    coin: string
  ) => Effect.Effect<void, unknown, ToolCaller | CoinPrices | OptionsVenue | ImpliedVolatilities>
]
