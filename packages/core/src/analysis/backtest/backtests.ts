import { Effect } from "effect"
import { Compute } from "../../engine/compute/Compute.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import type { Timeframe } from "../../market/timeframe.ts"
import { DerivedStore } from "../signals/DerivedStore.ts"
import { readBacktestMarket } from "./readMarket.ts"
import { getOperandNames, type StrategyData } from "./strategy.ts"
import type { Costs } from "./window.ts"

export interface BacktestArguments {
  readonly coin: string
  readonly tf: Timeframe
  readonly bars: number
  readonly fee_bps: number
  readonly slippage_bps: number
}

export const toCosts = ({ fee_bps, slippage_bps }: BacktestArguments): Costs => ({
  feeBps: fee_bps,
  slippageBps: slippage_bps
})

/** Creates the two functions that the backtest tools use: `read` loads market data, and `run` runs compute jobs. */
export const makeBacktests = Effect.gen(function*() {
  const ports = { prices: yield* CoinPrices, derivatives: yield* CoinDerivatives, derived: yield* DerivedStore }
  const compute = yield* Compute
  return {
    run: compute.run,
    read: ({ bars, coin, tf }: BacktestArguments, strategies: ReadonlyArray<StrategyData>) =>
      readBacktestMarket(ports, { bars, coin, tf, operands: getOperandNames(strategies) })
  }
})
