import { type BacktestSummary, equityReturns } from "@tapeline/quant/backtest"
import { deflatedSharpe, sharpe } from "@tapeline/quant/performance"
import { Schema } from "effect"
import { Column, type Job } from "../../engine/compute/job.ts"
import { rankBySharpe, sharpePerBar } from "./compareJob.ts"
import { StrategyData } from "./strategy.ts"
import {
  BacktestMarket,
  type BacktestWindow,
  barsPerYear,
  Costs,
  getBarReturns,
  makeWindow,
  Summary
} from "./window.ts"

/**
 * The compute job for one fold of a walk-forward test. Each fold is a separate job, so that other jobs can run between
 * two folds.
 */

const FoldPeriod = Schema.Struct({
  /** The opening time of the first bar, in epoch ms. */
  from: Schema.Finite,
  to: Schema.Finite,
  bars: Schema.Int,
  summary: Summary
})

const Input = Schema.Struct({
  /**
   * The market data for the training and the test of the fold. The first `trainBars` traded bars are for training, and
   * all later bars are for testing.
   */
  market: BacktestMarket,
  costs: Costs,
  variants: Schema.Array(StrategyData),
  trainBars: Schema.Int
})
const Output = Schema.Struct({
  chosen: Schema.Int,
  traded: Schema.Int,
  train: FoldPeriod,
  test: FoldPeriod,
  /** The deflated Sharpe ratio of the chosen variant in training. Every tested strategy variant counts as a trial. */
  deflatedSharpe: Schema.NullOr(Schema.Finite),
  /** The equity of the chosen variant at each bar of the test window. */
  equity: Column,
  tradeReturns: Column,
  exposure: Schema.Finite,
  isRuined: Schema.Boolean,
  /** For each strategy variant, the sum of its returns per bar in the test window. */
  sums: Column,
  squares: Column
})
export type Fold = typeof Output.Type

const makeFoldPeriod = (window: BacktestWindow, summary: BacktestSummary, stepMs: number): typeof FoldPeriod.Type => ({
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
    const trainingWindow = makeWindow(market, costs, first, first + trainBars)
    const testWindow = makeWindow(market, costs, first + trainBars, market.time.length)
    const trainingResults = variants.map((variant) => {
      const result = trainingWindow.runStrategy(variant)
      const returns = getBarReturns(result)
      return { returns, sharpe: sharpe(returns, barsPerYear(stepMs)), trades: result.trades.length }
    })
    const chosen = rankBySharpe(trainingResults)[0]!
    const testResult = testWindow.runStrategy(variants[chosen]!)
    const variantSums = variants.map((variant, i) => {
      const returns = getBarReturns(i === chosen ? testResult : testWindow.runStrategy(variant))
      return {
        sum: returns.reduce((sum, value) => sum + value, 0),
        square: returns.reduce((sum, value) => sum + value * value, 0)
      }
    })
    return {
      chosen,
      traded: trainingResults.filter(({ trades }) => trades > 0).length,
      train: makeFoldPeriod(
        trainingWindow,
        trainingWindow.summarise(trainingWindow.runStrategy(variants[chosen]!)),
        stepMs
      ),
      test: makeFoldPeriod(testWindow, testWindow.summarise(testResult), stepMs),
      deflatedSharpe: deflatedSharpe(
        trainingResults[chosen]!.returns,
        trainingResults.map(({ returns }) => sharpePerBar(returns))
      ),
      equity: testResult.equity,
      tradeReturns: Float64Array.from(testResult.trades, (trade) => trade.return),
      exposure: testResult.exposure,
      isRuined: testResult.trades.at(-1)?.reason === "ruin",
      sums: Float64Array.from(variantSums, ({ sum }) => sum),
      squares: Float64Array.from(variantSums, ({ square }) => square)
    }
  }
}

/** The test windows of a walk-forward test, joined to one backtest with continuous equity. */

export interface OutOfSample {
  readonly summary: Summary
  readonly hold: Summary
  /** The deflated Sharpe ratio of the joined backtest. Every tested strategy variant counts as a trial. */
  readonly deflatedSharpe: number | null
}

const sumAt = (columns: ReadonlyArray<Float64Array>, index: number): number =>
  columns.reduce((sum, column) => sum + column[index]!, 0)

const trialSharpe = (folds: ReadonlyArray<Fold>, variant: number, bars: number): number => {
  const mean = sumAt(folds.map(({ sums }) => sums), variant) / bars
  const variance = (sumAt(folds.map(({ squares }) => squares), variant) - bars * mean * mean) / (bars - 1)
  return variance > 0 ? mean / Math.sqrt(variance) : 0
}

export const joinFoldResults = (market: BacktestMarket, costs: Costs, folds: ReadonlyArray<Fold>): OutOfSample => {
  const bars = folds.reduce((sum, { equity }) => sum + equity.length, 0)
  const equity = new Float64Array(bars)
  let position = 0
  let startEquity = 1
  for (const fold of folds) {
    for (const value of fold.equity) equity[position++] = startEquity * value
    startEquity = equity[position - 1]!
  }
  const window = makeWindow(market, costs, market.time.length - bars, market.time.length)
  return {
    summary: window.summarise({
      equity,
      trades: folds.flatMap(({ tradeReturns }) => Array.from(tradeReturns, (gain) => ({ return: gain }))),
      exposure: folds.reduce((sum, { equity, exposure }) => sum + exposure * equity.length, 0) / bars
    }),
    hold: window.summarise(window.runBuyAndHold()),
    deflatedSharpe: deflatedSharpe(
      equityReturns(equity),
      Array.from(folds[0]!.sums, (_, i) => trialSharpe(folds, i, bars))
    )
  }
}
