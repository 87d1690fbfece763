/**
 * Joins the test windows of a walk-forward test into one backtest, whose equity continues from each window to the next.
 */
import { equityReturns } from "@tapeline/quant/backtest"
import { deflatedSharpe } from "@tapeline/quant/performance"
import type { Fold } from "./foldJob.ts"
import type { Summary } from "./run.ts"
import { type BacktestMarket, type Costs, windowOf } from "./window.ts"

export interface OutOfSample {
  readonly summary: Summary
  readonly hold: Summary
  /** All variants over the same windows count as trials. */
  readonly deflatedSharpe: number | null
}

const added = (columns: ReadonlyArray<Float64Array>, i: number): number =>
  columns.reduce((sum, column) => sum + column[i]!, 0)

/** Returns the Sharpe ratio of a variant per bar. It is 0 for a variant whose equity never moved. */
const trialSharpe = (folds: ReadonlyArray<Fold>, i: number, n: number): number => {
  const mean = added(folds.map(({ sums }) => sums), i) / n
  const variance = (added(folds.map(({ squares }) => squares), i) - n * mean * mean) / (n - 1)
  return variance > 0 ? mean / Math.sqrt(variance) : 0
}

export const joinFolds = (market: BacktestMarket, costs: Costs, folds: ReadonlyArray<Fold>): OutOfSample => {
  const bars = folds.reduce((sum, { equity }) => sum + equity.length, 0)
  const equity = new Float64Array(bars)
  let at = 0
  let level = 1
  for (const fold of folds) {
    for (const value of fold.equity) equity[at++] = level * value
    level = equity[at - 1]!
  }
  const window = windowOf(market, costs, market.time.length - bars, market.time.length)
  return {
    summary: window.summary({
      equity,
      trades: folds.flatMap(({ tradeReturns }) => Array.from(tradeReturns, (gain) => ({ return: gain }))),
      exposure: folds.reduce((sum, { equity, exposure }) => sum + exposure * equity.length, 0) / bars
    }),
    hold: window.summary(window.hold()),
    deflatedSharpe: deflatedSharpe(
      equityReturns(equity),
      Array.from(folds[0]!.sums, (_, i) => trialSharpe(folds, i, bars))
    )
  }
}
