import { Schema } from "effect"
import { StrategyArgument } from "../../analysis/backtest/strategy.ts"
import { expectation } from "../../engine/tool/argument.ts"
import { nullableQuantity } from "../../engine/tool/result.ts"
import { fraction } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { backtestArguments, coin } from "./arguments.ts"
import { backtestFields, buyAndHold, commonFields, makeDeflatedField, metrics } from "./resultFields.ts"

const strategyIndex = Schema.Int.annotate({ description: "Position in `strategies`, from 0" })

export const compareStrategies = specify({
  name: "compare_strategies",
  area: "backtest",
  scope: "read:market",
  credits: 20,
  summary: "Compares strategies on a coin: metrics, ranking, correlation, and whether the best one is luck.",
  parameters: Schema.Struct({
    coin,
    strategies: Schema.Array(StrategyArgument).annotate({ description: "As in run_backtest" }).check(
      Schema.isMinLength(2, expectation("at least 2 items", { key: "expected_items", params: { minimum: 2 } })),
      Schema.isMaxLength(6)
    ),
    ...backtestArguments
  }),
  result: Schema.Struct({
    ...backtestFields,
    rows: Schema.Array(Schema.Struct({ strategy: strategyIndex, ...metrics })),
    buy_and_hold: buyAndHold,
    ranking: Schema.Array(strategyIndex).annotate({
      description: "By Sharpe ratio, highest first; strategies without a ratio are last"
    }),
    correlation: Schema.Array(
      Schema.Array(nullableQuantity("-1 to 1; null if the equity of a strategy did not change", fraction))
    ).annotate({ description: "Correlations of bar returns, by strategy index" }),
    deflated_sharpe: makeDeflatedField(
      "Deflated Sharpe ratio: probability that the best strategy is better than the best of equally many worthless strategies would be by luck; above 0.95 is evidence"
    ),
    trials: Schema.Int.annotate({
      description: "Number of tried strategies in the deflation; strategies tried elsewhere also belong here"
    }),
    ...commonFields
  }),
  example: {
    coin: "BTC",
    strategies: [
      {
        entry: [{ left: "price", op: "cross_above", right: "highest(48)" }],
        exit: [{ left: "price", op: "cross_below", right: "lowest(24)" }]
      },
      {
        entry: [{ left: "rsi(14)", op: "lt", right: 30 }],
        exit: [{ left: "rsi(14)", op: "gt", right: 55 }],
        stop_atr: 3
      }
    ]
  }
})
