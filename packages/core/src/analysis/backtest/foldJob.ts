/**
 * One fold of a walk-forward: variants of a strategy, chosen on one stretch of the market and judged on the next. A job
 * for each, so that others have their turn between: 200 variants on 5,000 bars take some tenths of a second.
 */
import type { BacktestSummary } from "@tapeline/quant/backtest"
import { deflatedSharpe, sharpe } from "@tapeline/quant/performance"
import { Schema } from "effect"
import { Column, type Job } from "../../engine/compute/job.ts"
import { bySharpe, sharpeByBar } from "./compareJob.ts"
import { Summary } from "./run.ts"
import { StrategyData } from "./strategy.ts"
import { BacktestMarket, barsPerYear, Costs, returnsOf, type Window, windowOf } from "./window.ts"

const Span = Schema.Struct({
  /** Opening instant of the first bar, end of the last one, epoch ms. */
  from: Schema.Finite,
  to: Schema.Finite,
  bars: Schema.Int,
  summary: Summary
})

const Input = Schema.Struct({
  /** The training window begins with the market's first bar, the test follows it to the end. */
  market: BacktestMarket,
  costs: Costs,
  variants: Schema.Array(StrategyData),
  trainBars: Schema.Int
})
const Output = Schema.Struct({
  /** Index of the variant whose Sharpe ratio was highest in training. */
  chosen: Schema.Int,
  /** Variants that traded in training. */
  traded: Schema.Int,
  train: Span,
  test: Span,
  /** Of the chosen one in training, all variants being trials. */
  deflatedSharpe: Schema.NullOr(Schema.Finite),
  /** What the chosen one did in the test. */
  equity: Column,
  tradeReturns: Column,
  exposure: Schema.Finite,
  isRuined: Schema.Boolean,
  /** Of each variant in the test, chosen or not, the sums of its bar returns and of their squares. */
  sums: Column,
  squares: Column
})
export type Fold = typeof Output.Type

const spanOf = (window: Window, summary: BacktestSummary, stepMs: number): typeof Span.Type => ({
  from: window.time[0]!,
  to: window.time.at(-1)! + stepMs,
  bars: window.time.length,
  summary
})

export const foldJob: Job<typeof Input.Type, Fold> = {
  name: "walk_forward_fold",
  input: Input,
  output: Output,
  run: ({ costs, market, trainBars, variants }) => {
    const { first, stepMs } = market
    const training = windowOf(market, costs, first, first + trainBars)
    const testing = windowOf(market, costs, first + trainBars, market.time.length)
    const trained = variants.map((variant) => {
      const result = training.trade(variant)
      const returns = returnsOf(result)
      return { returns, sharpe: sharpe(returns, barsPerYear(stepMs)), trades: result.trades.length }
    })
    const chosen = bySharpe(trained)[0]!
    const kept = testing.trade(variants[chosen]!)
    const tested = variants.map((variant, i) => {
      const returns = returnsOf(i === chosen ? kept : testing.trade(variant))
      return {
        sum: returns.reduce((sum, one) => sum + one, 0),
        square: returns.reduce((sum, one) => sum + one * one, 0)
      }
    })
    return {
      chosen,
      traded: trained.filter(({ trades }) => trades > 0).length,
      train: spanOf(training, training.summary(training.trade(variants[chosen]!)), stepMs),
      test: spanOf(testing, testing.summary(kept), stepMs),
      deflatedSharpe: deflatedSharpe(trained[chosen]!.returns, trained.map(({ returns }) => sharpeByBar(returns))),
      equity: kept.equity,
      tradeReturns: Float64Array.from(kept.trades, (trade) => trade.return),
      exposure: kept.exposure,
      isRuined: kept.trades.at(-1)?.reason === "ruin",
      sums: Float64Array.from(tested, ({ sum }) => sum),
      squares: Float64Array.from(tested, ({ square }) => square)
    }
  }
}
