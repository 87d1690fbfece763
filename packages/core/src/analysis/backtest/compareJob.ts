import { deflatedSharpe, sharpe } from "@tapeline/quant/performance"
import { correlation } from "@tapeline/quant/volatility"
import { Schema } from "effect"
import type { Job } from "../../engine/compute/job.ts"
import { StrategyData } from "./strategy.ts"
import { BacktestMarket, Costs, getBarReturns, makeRun, makeWindow, Run, Summary } from "./window.ts"

const Input = Schema.Struct({ market: BacktestMarket, costs: Costs, strategies: Schema.Array(StrategyData) })
const Output = Schema.Struct({
  runs: Schema.Array(Run),
  hold: Summary,
  /**
   * The indices of the strategies, sorted by Sharpe ratio in descending order. Strategies without a Sharpe ratio come
   * last.
   */
  ranking: Schema.Array(Schema.Int),
  correlation: Schema.Array(Schema.Array(Schema.NullOr(Schema.Finite))),
  /** The deflated Sharpe ratio of the best strategy. Every compared strategy counts as a trial. */
  deflatedSharpe: Schema.NullOr(Schema.Finite)
})

/** Returns the Sharpe ratio per bar, or 0 if the equity never moved. */
export const sharpePerBar = (returns: Float64Array): number => sharpe(returns, 1) ?? 0

/** Returns the indices of `runs`, sorted by Sharpe ratio in descending order. Runs without a Sharpe ratio come last. */
export const rankBySharpe = (runs: ReadonlyArray<{ readonly sharpe: number | null }>): ReadonlyArray<number> =>
  runs.map((_, i) => i).toSorted((a, b) => (runs[b]!.sharpe ?? -Infinity) - (runs[a]!.sharpe ?? -Infinity) || a - b)

export const compareJob: Job<
  { readonly market: BacktestMarket; readonly costs: Costs; readonly strategies: ReadonlyArray<StrategyData> },
  typeof Output.Type
> = {
  name: "compare_strategies",
  input: Input,
  output: Output,
  run: ({ costs, market, strategies }) => {
    const window = makeWindow(market, costs, market.first, market.time.length)
    const results = strategies.map((strategy) => window.runStrategy(strategy))
    const runs = results.map((result, i) => makeRun(window, strategies[i]!, result))
    const returns = results.map(getBarReturns)
    const ranking = rankBySharpe(runs.map(({ summary }) => summary))
    return {
      runs,
      hold: window.summarise(window.runBuyAndHold()),
      ranking,
      correlation: returns.map((a, i) => returns.map((b, j) => i <= j ? correlation(a, b) : correlation(b, a))),
      deflatedSharpe: deflatedSharpe(returns[ranking[0]!]!, returns.map(sharpePerBar))
    }
  }
}
