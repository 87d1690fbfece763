/** The compute job that runs one strategy on one market. For 20,000 bars, the job takes about ten milliseconds. */
import type { Strategy } from "@tapeline/quant/backtest"
import { Schema } from "effect"
import { Column, type Job } from "../../engine/compute/job.ts"
import { exitReasons, StrategyData } from "./strategy.ts"
import { BacktestMarket, Costs, makeRun, makeWindow, Run, Summary } from "./window.ts"

const Trade = Schema.Struct({
  side: Schema.Literals(["long", "short"]),
  /** The index of the bar at which the trade opened. An index of 0 means the first traded bar. */
  entryIndex: Schema.Int,
  exitIndex: Schema.Int,
  entry: Schema.Finite,
  exit: Schema.Finite,
  reason: Schema.Literals(exitReasons),
  return: Schema.Finite
})

/**
 * The maximum number of trades in a backtest's result. If a backtest has more trades, the result contains the latest
 * ones.
 */
export const maxReturnedTrades = 50

const Input = Schema.Struct({ market: BacktestMarket, costs: Costs, strategy: StrategyData })
const Output = Schema.Struct({
  ...Run.fields,
  trades: Schema.Array(Trade),
  /** The opening times of the traded bars, in epoch ms. */
  time: Column,
  equity: Column,
  /** The total funding of all trades. The funding of each trade is a fraction of the equity at the trade's entry. */
  funding: Schema.Finite,
  hold: Summary
})

const toReturnedTrade = ({ entry, entryIndex, exit, exitIndex, reason, return: gain, side }: typeof Trade.Type) => ({
  side,
  entryIndex,
  exitIndex,
  entry,
  exit,
  reason,
  return: gain
})

export const backtestJob: Job<
  { readonly market: BacktestMarket; readonly costs: Costs; readonly strategy: StrategyData },
  typeof Output.Type
> = {
  name: "backtest",
  input: Input,
  output: Output,
  run: ({ costs, market, strategy }) => {
    const window = makeWindow(market, costs, market.first, market.time.length)
    const rules: Strategy = strategy
    const result = window.runStrategy(rules)
    return {
      ...makeRun(window, rules, result),
      trades: result.trades.slice(-maxReturnedTrades).map(toReturnedTrade),
      time: window.time.slice(),
      equity: result.equity,
      funding: result.trades.reduce((sum, { funding }) => sum + funding, 0),
      hold: window.summarise(window.runBuyAndHold())
    }
  }
}
