/** Compares several strategies on one market. */
import { deflatedSharpe, sharpe } from "@tapeline/quant/performance"
import { correlation } from "@tapeline/quant/volatility"
import { Schema } from "effect"
import type { Job } from "../../engine/compute/job.ts"
import { Run, runOf, Summary } from "./run.ts"
import { StrategyData } from "./strategy.ts"
import { BacktestMarket, Costs, returnsOf, windowOf } from "./window.ts"

const Input = Schema.Struct({ market: BacktestMarket, costs: Costs, strategies: Schema.Array(StrategyData) })
const Output = Schema.Struct({
  runs: Schema.Array(Run),
  hold: Summary,
  /** Indices of the strategies, highest Sharpe ratio first. Those without a ratio are last. */
  ranking: Schema.Array(Schema.Int),
  correlation: Schema.Array(Schema.Array(Schema.NullOr(Schema.Finite))),
  /** The deflated Sharpe ratio of the first in the ranking. All strategies count as trials. */
  deflatedSharpe: Schema.NullOr(Schema.Finite)
})

/** Returns the Sharpe ratio per bar. It is 0 for an equity that never moved: no return for no risk. */
export const sharpeByBar = (returns: Float64Array): number => sharpe(returns, 1) ?? 0

/** Returns indices by Sharpe ratio, those without a ratio last. Of equal ratios, the lower index is first. */
export const bySharpe = (runs: ReadonlyArray<{ readonly sharpe: number | null }>): ReadonlyArray<number> =>
  runs.map((_, i) => i).toSorted((a, b) => (runs[b]!.sharpe ?? -Infinity) - (runs[a]!.sharpe ?? -Infinity) || a - b)

export const compareJob: Job<
  { readonly market: BacktestMarket; readonly costs: Costs; readonly strategies: ReadonlyArray<StrategyData> },
  typeof Output.Type
> = {
  name: "compare_strategies",
  input: Input,
  output: Output,
  run: ({ costs, market, strategies }) => {
    const window = windowOf(market, costs, market.first, market.time.length)
    const results = strategies.map((strategy) => window.trade(strategy))
    const runs = results.map((result, i) => runOf(window, strategies[i]!, result))
    const returns = results.map(returnsOf)
    const ranking = bySharpe(runs.map(({ summary }) => summary))
    return {
      runs,
      hold: window.summary(window.hold()),
      ranking,
      correlation: returns.map((a, i) => returns.map((b, j) => i <= j ? correlation(a, b) : correlation(b, a))),
      deflatedSharpe: deflatedSharpe(returns[ranking[0]!]!, returns.map(sharpeByBar))
    }
  }
}
