/**
 * Variants of a strategy, chosen on one stretch of the market and judged on the next, over and over. 200 variants of
 * 20,000 bars in 12 folds take some seconds.
 */
import { type BacktestResult, type BacktestSummary } from "@tapeline/quant/backtest"
import { deflatedSharpe, sharpe } from "@tapeline/quant/performance"
import { rollingFolds } from "@tapeline/quant/resampling"
import { Schema } from "effect"
import type { Job } from "../compute/job.ts"
import { bySharpe, sharpeByBar } from "./compareJob.ts"
import { Summary } from "./run.ts"
import { StrategyData } from "./strategy.ts"
import { BacktestMarket, barsPerYear, Costs, joinResults, returnsOf, type Window, windowOf } from "./window.ts"

/** Bars trained on for each bar tested. */
export const trainToTest = 3

const Span = Schema.Struct({
  /** Opening instant of the first bar, end of the last one, epoch ms. */
  from: Schema.Finite,
  to: Schema.Finite,
  bars: Schema.Int,
  summary: Summary
})

const Input = Schema.Struct({
  market: BacktestMarket,
  costs: Costs,
  variants: Schema.Array(StrategyData),
  folds: Schema.Int
})
const Output = Schema.Struct({
  folds: Schema.Array(Schema.Struct({
    /** Index of the variant whose Sharpe ratio was highest in training. */
    chosen: Schema.Int,
    /** Variants that traded in training. */
    traded: Schema.Int,
    train: Span,
    test: Span,
    /** Of the chosen one in training, all variants being trials. */
    deflatedSharpe: Schema.NullOr(Schema.Finite)
  })),
  outOfSample: Summary,
  hold: Summary,
  /** Of the joined test windows, all variants over the same windows being trials. */
  deflatedSharpe: Schema.NullOr(Schema.Finite),
  isRuined: Schema.Boolean
})

const spanOf = (window: Window, summary: BacktestSummary, stepMs: number): typeof Span.Type => ({
  from: window.time[0]!,
  to: window.time.at(-1)! + stepMs,
  bars: window.time.length,
  summary
})

export const walkForwardJob: Job<typeof Input.Type, typeof Output.Type> = {
  name: "walk_forward",
  input: Input,
  output: Output,
  run: ({ costs, folds: count, market, variants }) => {
    const { first, stepMs } = market
    // What each variant returned in the test windows, chosen or not: trials that the deflation counts.
    const trials = variants.map((): Array<Float64Array> => [])
    const kept: Array<BacktestResult> = []
    const folds = rollingFolds(market.time.length - first, count, trainToTest).map(({ test, train }) => {
      const training = windowOf(market, costs, first + train.from, first + train.to)
      const testing = windowOf(market, costs, first + test.from, first + test.to)
      const trained = variants.map((variant) => {
        const result = training.trade(variant)
        const returns = returnsOf(result)
        return { returns, sharpe: sharpe(returns, barsPerYear(stepMs)), trades: result.trades.length }
      })
      const chosen = bySharpe(trained)[0]!
      for (const [i, variant] of variants.entries()) {
        const result = testing.trade(variant)
        trials[i]!.push(returnsOf(result))
        if (i === chosen) kept.push(result)
      }
      return {
        chosen,
        traded: trained.filter(({ trades }) => trades > 0).length,
        train: spanOf(training, training.summary(training.trade(variants[chosen]!)), stepMs),
        test: spanOf(testing, testing.summary(kept.at(-1)!), stepMs),
        deflatedSharpe: deflatedSharpe(trained[chosen]!.returns, trained.map(({ returns }) => sharpeByBar(returns)))
      }
    })
    const out = joinResults(kept)
    const whole = windowOf(market, costs, market.time.length - out.equity.length, market.time.length)
    return {
      folds,
      outOfSample: whole.summary(out),
      hold: whole.summary(whole.hold()),
      deflatedSharpe: deflatedSharpe(
        returnsOf(out),
        trials.map((windows) => sharpeByBar(Float64Array.from(windows.flatMap((returns) => Array.from(returns)))))
      ),
      isRuined: out.trades.some(({ reason }) => reason === "ruin")
    }
  }
}
