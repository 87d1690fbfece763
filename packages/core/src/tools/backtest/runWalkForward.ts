import { Schema } from "effect"
import {
  RangesArgument,
  rangesNameExistingPaths,
  StrategyArgument,
  valuesAreValid
} from "../../analysis/backtest/strategy.ts"
import { integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { Instant, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { backtestArguments, coin } from "./arguments.ts"
import { backtestFields, buyAndHold, commonFields, makeDeflatedField, metrics } from "./resultFields.ts"

const spanFields = {
  from: Instant.annotate({ description: "Opening instant of the first bar" }),
  to: Instant.annotate({ description: "End of the last bar" }),
  bars: Schema.Int,
  return: quantity("Return as a fraction", fraction),
  sharpe: nullableQuantity("Annualised; null if the equity did not change", fraction),
  max_drawdown_pct: quantity("Percent, at most 0", percent),
  trades: Schema.Int
}

export const runWalkForward = specify({
  name: "run_walk_forward",
  area: "backtest",
  scope: "read:market",
  credits: 20,
  summary: "Is a strategy overfitted: chooses parameters on three parts, tests them on the next part, rolling.",
  parameters: Schema.Struct({
    coin,
    strategy: StrategyArgument.annotate({ description: "As in run_backtest" }),
    ranges: RangesArgument,
    folds: withDefault(integerBetween(2, 12), 5),
    ...backtestArguments
  }).check(rangesNameExistingPaths, valuesAreValid),
  result: Schema.Struct({
    ...backtestFields,
    combinations: Schema.Int,
    folds: Schema.Array(Schema.Struct({
      train: Schema.Struct(spanFields),
      test: Schema.Struct(spanFields).annotate({
        description: "The chosen combination on the next bars, without a position at the start"
      }),
      chosen: Schema.Array(Schema.Struct({
        path: Schema.String,
        value: Schema.Union([Schema.Finite, Schema.String])
      })).annotate({ description: "Highest Sharpe ratio in training" }),
      deflated_sharpe: makeDeflatedField(
        "Deflated Sharpe ratio of the chosen combination in training, with all combinations as trials; null if the equity did not change"
      )
    })),
    out_of_sample: Schema.Struct(metrics).annotate({ description: "The test windows joined in order" }),
    buy_and_hold: buyAndHold,
    deflated_sharpe: makeDeflatedField(
      "Deflated Sharpe ratio: probability that the strategy is better out of sample than the best of equally many worthless combinations would be by luck; above 0.95 is evidence"
    ),
    trials: Schema.Int.annotate({ description: "Number of combinations in the deflation" }),
    degradation_pct: nullableQuantity(
      "100 (1 - mean test Sharpe / mean training Sharpe) over the folds; a missing ratio counts as 0; null if the training mean is below 0.1",
      percent
    ),
    method: Schema.String,
    ...commonFields
  }),
  example: {
    coin: "BTC",
    strategy: {
      entry: [{ left: "price", op: "cross_above", right: "highest(48)" }],
      exit: [{ left: "price", op: "cross_below", right: "lowest(24)" }]
    },
    ranges: [
      { path: "entry.0.right", values: ["highest(24)", "highest(48)", "highest(96)"] },
      { path: "stop_atr", values: [2, 3] }
    ]
  }
})
