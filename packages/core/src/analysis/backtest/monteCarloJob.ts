/**
 * The compute job that resamples the returns of a strategy. For 5,000 paths of 20,000 bars, the job takes about a
 * second.
 */
import { seededRandom } from "@tapeline/quant/random"
import { monteCarlo } from "@tapeline/quant/resampling"
import { Schema } from "effect"
import type { Job } from "../../engine/compute/job.ts"
import { StrategyData } from "./strategy.ts"
import { BacktestMarket, Costs, getBarReturns, makeRun, makeWindow, Run } from "./window.ts"

const Percentiles = Schema.Struct({
  p5: Schema.Finite,
  p25: Schema.Finite,
  p50: Schema.Finite,
  p75: Schema.Finite,
  p95: Schema.Finite
})

const Input = Schema.Struct({
  market: BacktestMarket,
  costs: Costs,
  strategy: StrategyData,
  paths: Schema.Int,
  seed: Schema.Int,
  /**
   * The mean length of the blocks that the bootstrap resamples, in bars. The default block length is the cube root of
   * the number of bars.
   */
  meanBlock: Schema.optionalKey(Schema.Finite),
  /** The drawdown, as a negative fraction, at which a simulated path counts as ruined. */
  ruin: Schema.Finite
})
const Output = Schema.Struct({
  ...Run.fields,
  totalReturn: Percentiles,
  drawdown: Percentiles,
  ruinProbability: Schema.Finite,
  lossProbability: Schema.Finite,
  meanBlock: Schema.Finite
})

export const monteCarloJob: Job<typeof Input.Type, typeof Output.Type> = {
  name: "monte_carlo",
  input: Input,
  output: Output,
  run: ({ costs, market, meanBlock, paths, ruin, seed, strategy }) => {
    const window = makeWindow(market, costs, market.first, market.time.length)
    const result = window.runStrategy(strategy)
    const simulation = monteCarlo(getBarReturns(result), { paths, random: seededRandom(seed), meanBlock, ruin })
    if (simulation === null) throw new Error("a Monte Carlo simulation needs bars")
    const { drawdown, lossProbability, ruinProbability, totalReturn } = simulation
    return {
      ...makeRun(window, strategy, result),
      totalReturn,
      drawdown,
      ruinProbability,
      lossProbability,
      meanBlock: simulation.meanBlock
    }
  }
}
