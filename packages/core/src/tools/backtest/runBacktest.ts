import { Schema } from "effect"
import { exitReasons, operandsDescription, StrategyArgument } from "../../analysis/backtest/strategy.ts"
import { Instant, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { backtestArguments, coin } from "./arguments.ts"
import { backtestFields, buyAndHold, commonFields, metrics } from "./resultFields.ts"

export const runBacktest = specify({
  name: "run_backtest",
  area: "backtest",
  scope: "read:market",
  credits: 20,
  summary:
    "Backtest of your own rules on a coin, costs charged: metrics, equity, trades. Buying volatility: get_options_backtest.",
  parameters: Schema.Struct({
    coin,
    strategy: StrategyArgument.annotate({ description: operandsDescription }),
    ...backtestArguments
  }),
  result: Schema.Struct({
    ...backtestFields,
    metrics: Schema.Struct(metrics),
    buy_and_hold: buyAndHold,
    funding_pct: quantity(
      "Sum of the funding paid, in percent of each trade's equity at entry; negative if received",
      percent
    ),
    equity: Schema.Array(Schema.Struct({
      time: Instant.annotate({ description: "End of a bar" }),
      equity: quantity("From a start of 1, marked to market", fraction)
    })).annotate({ description: "At most 200 points, fewer with many trades; includes the first and the last bar" }),
    trades: Schema.Array(Schema.Struct({
      side: Schema.Literals(["long", "short"]),
      entered_at: Instant.annotate({ description: "Opening instant of the bar" }),
      exited_at: Instant.annotate({ description: "Opening instant of the bar" }),
      entry: quantity("Fill price including slippage, USD", level),
      exit: quantity("Fill price including slippage, USD", level),
      return: quantity("Return on the equity after costs and funding, as a fraction", fraction),
      reason: Schema.Literals(exitReasons)
    })).annotate({ description: "The last 50, oldest first" }),
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
