/**
 * One fold of a walk-forward test: chooses a variant of a strategy on one stretch of the market and tests it on the
 * next. Each fold is a separate job, so that other jobs can run in between. 200 variants on 5,000 bars take some tenths
 * of a second.
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
  /** The opening time of the first bar, and the end of the last one, epoch ms. */
  from: Schema.Finite,
  to: Schema.Finite,
  bars: Schema.Int,
  summary: Summary
})

const Input = Schema.Struct({
  /** The training window begins with the market's first bar, and the test follows it to the end. */
  market: BacktestMarket,
  costs: Costs,
  variants: Schema.Array(StrategyData),
  trainBars: Schema.Int
})
const Output = Schema.Struct({
  /** The index of the variant with the highest Sharpe ratio in training. */
  chosen: Schema.Int,
  /** The number of variants that traded in training. */
  traded: Schema.Int,
  train: Span,
  test: Span,
  /** The deflated Sharpe ratio of the chosen variant in training. All variants count as trials. */
  deflatedSharpe: Schema.NullOr(Schema.Finite),
  /** The result of the chosen variant in the test. */
  equity: Column,
  tradeReturns: Column,
  exposure: Schema.Finite,
  isRuined: Schema.Boolean,
  /** For each variant, chosen or not: the sums of its bar returns in the test, and of their squares. */
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
