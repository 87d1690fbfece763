import { Schema } from "effect"
import { StrategyArgument } from "../../analysis/backtest/strategy.ts"
import { integerBetween, numberAbove, optional, withDefault } from "../../engine/tool/argument.ts"
import { quantity } from "../../engine/tool/result.ts"
import { fraction, percent, type Rounding } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { backtestArguments, coin } from "./arguments.ts"
import { backtestFields, commonFields, metrics } from "./resultFields.ts"

const percentiles = (description: string, rounding: Rounding) => {
  const field = quantity(description, rounding)
  return Schema.Struct({ p5: field, p25: field, p50: field, p75: field, p95: field })
}

export const runMonteCarlo = specify({
  name: "run_monte_carlo",
  area: "backtest",
  scope: "read:market",
  credits: 20,
  summary: "How much of a backtest is luck: resampled bar returns, ranges of return and drawdown, risk of ruin.",
  parameters: Schema.Struct({
    coin,
    strategy: StrategyArgument.annotate({ description: "As in run_backtest" }),
    paths: withDefault(integerBetween(100, 5_000), 1_000),
    seed: withDefault(integerBetween(0, 2 ** 31 - 1), 1),
    mean_block: optional(
      Schema.Finite.annotate({ description: "Bars; default: the cube root of all" }).check(
        Schema.isBetween({ minimum: 1, maximum: 20_000 })
      )
    ),
    ruin_pct: withDefault(
      numberAbove(0, "Drawdown").check(Schema.isLessThanOrEqualTo(100)),
      50
    ),
    ...backtestArguments
  }),
  result: Schema.Struct({
    ...backtestFields,
    paths: Schema.Int,
    seed: Schema.Int,
    mean_block: quantity("Mean length of a block, bars"),
    ruin_pct: quantity("Percent"),
    observed: Schema.Struct(metrics).annotate({ description: "The backtest whose returns are resampled" }),
    percentiles: Schema.Struct({
      return: percentiles("Return of the paths, as a fraction: 0.1 is 10 %", fraction),
      max_drawdown_pct: percentiles("Maximum drawdown of the paths, percent, at most 0; p5 is the bad end", percent)
    }),
    ruin_probability: quantity("Share of the paths that fell by `ruin_pct` from a high, 0 to 1", fraction),
    loss_probability: quantity("Share of the paths that ended with a loss, 0 to 1", fraction),
    method: Schema.String,
    ...commonFields
  }),
  example: {
    coin: "BTC",
    strategy: {
      entry: [{ left: "ema(20)", op: "cross_above", right: "ema(50)" }],
      exit: [{ left: "ema(20)", op: "cross_below", right: "ema(50)" }],
      stop_atr: 3
    }
  }
})
