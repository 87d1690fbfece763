import { rollingFolds } from "@tapeline/quant/resampling"
import { Effect } from "effect"
import { costsOf, makeBacktests } from "../../analysis/backtest/backtests.ts"
import { foldJob } from "../../analysis/backtest/foldJob.ts"
import { foldWarnings } from "../../analysis/backtest/foldWarnings.ts"
import { joinFolds } from "../../analysis/backtest/joinFolds.ts"
import type { Summary } from "../../analysis/backtest/run.ts"
import { variantsOf } from "../../analysis/backtest/strategy.ts"
import { marketWarnings, nullNotes, strategyWarnings } from "../../analysis/backtest/warnings.ts"
import { stretchOf } from "../../analysis/backtest/window.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { NoData } from "../../market/errors.ts"
import { sourceOf } from "../../market/provenance.ts"
import { metricsOf, triedOf } from "./fields.ts"
import { runWalkForward } from "./runWalkForward.ts"

const method = [
  "Each fold tries every combination on its training window, takes that of the highest Sharpe ratio (the first of equals)",
  "and trades it from a flat start on the next third as many bars; then both move on by the test window. The oldest bars",
  "that make no whole window are left out."
].join(" ")

/** The number of training bars per test bar. */
const trainToTest = 3

/** The minimum number of bars of a test window. */
const leastTested = 5

interface Span {
  readonly from: number
  readonly to: number
  readonly bars: number
  readonly summary: Summary
}

const spanOf = ({ bars, from, summary, to }: Span) => ({
  from: instant(from),
  to: instant(to),
  bars,
  return: summary.totalReturn,
  sharpe: summary.sharpe,
  max_drawdown_pct: 100 * summary.maxDrawdown,
  trades: summary.trades
})

/** Below this mean Sharpe ratio in training, no degradation is computed. */
const leastSharpe = 0.1

/** Returns the share of the training's Sharpe ratio that is lost in testing, in percent. */
const degradationOf = (
  folds: ReadonlyArray<{ readonly train: { readonly summary: Summary }; readonly test: { readonly summary: Summary } }>
): number | null => {
  const mean = (of: "test" | "train") =>
    folds.reduce((sum, fold) => sum + (fold[of].summary.sharpe ?? 0), 0) / folds.length
  const trained = mean("train")
  return trained >= leastSharpe ? 100 * (1 - mean("test") / trained) : null
}

export const handler = handlerOf(
  runWalkForward,
  Effect.gen(function*() {
    const backtests = yield* makeBacktests
    return Effect.fnUntraced(function*(args) {
      const { coin, ranges } = args
      const variants = variantsOf(args)
      const strategies = variants.map((variant) => variant.strategy)
      const read = yield* backtests.read(args, strategies)
      if (read.bars < leastTested * (args.folds + trainToTest)) {
        return yield* new NoData({
          subject: `${coin} folds`,
          reason: { key: "none_so_long", params: { symbol: coin } }
        })
      }
      const costs = costsOf(args)
      const { market } = read
      const found = yield* Effect.forEach(
        rollingFolds(read.bars, args.folds, trainToTest),
        ({ test, train }) =>
          backtests.run(foldJob, {
            market: stretchOf(market, market.first + train.from, market.first + test.to),
            costs,
            variants: strategies,
            trainBars: train.to - train.from
          })
      )
      const out = joinFolds(market, costs, found)
      const folds = found.map(({ chosen, deflatedSharpe, test, traded, train }) => ({
        values: variants[chosen]!.values,
        traded,
        train: spanOf(train),
        test: spanOf(test),
        deflatedSharpe
      }))
      const degradation = degradationOf(found)
      return {
        ...triedOf(read, costs),
        combinations: variants.length,
        folds: folds.map(({ deflatedSharpe, test, train, values }) => ({
          train,
          test,
          chosen: ranges.map(({ path }, i) => ({ path, value: values[i]! })),
          deflated_sharpe: deflatedSharpe
        })),
        out_of_sample: metricsOf(out.summary),
        buy_and_hold: metricsOf(out.hold),
        deflated_sharpe: out.deflatedSharpe,
        trials: variants.length,
        degradation_pct: degradation,
        method,
        warnings: [
          ...marketWarnings(read, args.bars, costs),
          ...strategyWarnings(strategies[0]!, args.tf),
          ...foldWarnings(folds, ranges, out.summary, found.some(({ isRuined }) => isRuined))
        ],
        notes: [
          ...nullNotes(out.summary),
          ...degradation === null
            ? [`degradation_pct is null: the mean training Sharpe ratio is below ${leastSharpe}.`]
            : []
        ],
        as_of: instant(read.to),
        source: sourceOf(read)
      }
    })
  })
)
