import { rollingFolds } from "@tapeline/quant/resampling"
import { Effect } from "effect"
import { makeBacktests, toCosts } from "../../analysis/backtest/backtests.ts"
import { makeVariants } from "../../analysis/backtest/strategy.ts"
import { foldJob, joinFoldResults } from "../../analysis/backtest/walkForward.ts"
import { foldWarnings, marketWarnings, nullNotes, strategyWarnings } from "../../analysis/backtest/warnings.ts"
import { sliceMarket, type Summary } from "../../analysis/backtest/window.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { NoData } from "../../market/errors.ts"
import { sourceText } from "../../market/provenance.ts"
import { toBacktestFields, toMetrics } from "./resultFields.ts"
import { runWalkForward } from "./runWalkForward.ts"

const method = [
  "Each fold tries every combination on its training window, chooses the one with the highest Sharpe ratio (the first of equals)",
  "and trades it, without a position at the start, on the next bars, a third as many. Then both windows move on by the test window. The oldest bars",
  "that do not fill a window are omitted."
].join(" ")

const trainToTest = 3

const minTestBars = 5

interface Span {
  readonly from: number
  readonly to: number
  readonly bars: number
  readonly summary: Summary
}

const toSpanRow = ({ bars, from, summary, to }: Span) => ({
  from: formatInstant(from),
  to: formatInstant(to),
  bars,
  return: summary.totalReturn,
  sharpe: summary.sharpe,
  max_drawdown_pct: 100 * summary.maxDrawdown,
  trades: summary.trades
})

/** The minimum mean Sharpe ratio in training for which a degradation is computed. */
const minSharpe = 0.1

/** Returns how much of the mean training Sharpe ratio is lost in testing, in percent. */
const computeDegradation = (
  folds: ReadonlyArray<{ readonly train: { readonly summary: Summary }; readonly test: { readonly summary: Summary } }>
): number | null => {
  const mean = (window: "test" | "train") =>
    folds.reduce((sum, fold) => sum + (fold[window].summary.sharpe ?? 0), 0) / folds.length
  const trainSharpe = mean("train")
  return trainSharpe >= minSharpe ? 100 * (1 - mean("test") / trainSharpe) : null
}

export const handler = handlerOf(
  runWalkForward,
  Effect.gen(function*() {
    const backtests = yield* makeBacktests
    return Effect.fnUntraced(function*(args) {
      const { coin, ranges } = args
      const variants = makeVariants(args)
      const strategies = variants.map((variant) => variant.strategy)
      const reading = yield* backtests.read(args, strategies)
      if (reading.bars < minTestBars * (args.folds + trainToTest)) {
        return yield* new NoData({
          subject: `${coin} folds`,
          reason: { key: "none_so_long", params: { symbol: coin } }
        })
      }
      const costs = toCosts(args)
      const { market } = reading
      const foldResults = yield* Effect.forEach(
        rollingFolds(reading.bars, args.folds, trainToTest),
        ({ test, train }) =>
          backtests.run(foldJob, {
            market: sliceMarket(market, market.first + train.from, market.first + test.to),
            costs,
            variants: strategies,
            trainBars: train.to - train.from
          })
      )
      const joined = joinFoldResults(market, costs, foldResults)
      const folds = foldResults.map(({ chosen, deflatedSharpe, test, traded, train }) => ({
        values: variants[chosen]!.values,
        traded,
        train: toSpanRow(train),
        test: toSpanRow(test),
        deflatedSharpe
      }))
      const degradation = computeDegradation(foldResults)
      return {
        ...toBacktestFields(reading, costs),
        combinations: variants.length,
        folds: folds.map(({ deflatedSharpe, test, train, values }) => ({
          train,
          test,
          chosen: ranges.map(({ path }, i) => ({ path, value: values[i]! })),
          deflated_sharpe: deflatedSharpe
        })),
        out_of_sample: toMetrics(joined.summary),
        buy_and_hold: toMetrics(joined.hold),
        deflated_sharpe: joined.deflatedSharpe,
        trials: variants.length,
        degradation_pct: degradation,
        method,
        warnings: [
          ...marketWarnings(reading, args.bars, costs),
          ...strategyWarnings(strategies[0]!, args.tf),
          ...foldWarnings(folds, ranges, joined.summary, foldResults.some(({ isRuined }) => isRuined))
        ],
        notes: [
          ...nullNotes(joined.summary),
          ...degradation === null
            ? [`degradation_pct is null: the mean training Sharpe ratio is below ${minSharpe}.`]
            : []
        ],
        as_of: formatInstant(reading.to),
        source: sourceText(reading)
      }
    })
  })
)
