import { Schema } from "effect"
import { ivRegimes } from "../../analysis/options/ivRegime.ts"
import { asOfArgument, integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { asOf, Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const summary = {
  n: Schema.Int.annotate({ description: "Windows; below 20 of them the rest is null" }),
  win_rate: nullableQuantity("Share of windows that realised more than was implied, 0 to 1", fraction),
  wilson_low: nullableQuantity("95 % Wilson interval", fraction),
  wilson_high: nullableQuantity("95 % Wilson interval", fraction),
  mean_edge_vol_pts: nullableQuantity("Mean of realised less implied volatility, points, before costs", percent)
}

const Regime = Schema.NullOr(Schema.Literals(ivRegimes)).annotate({
  description: "Third of the year before that the IV lies in; null: too little of it is recorded"
})

export const getOptionsBacktest = specify({
  name: "get_options_backtest",
  area: "options",
  scope: "read:market",
  credits: 1,
  summary:
    "Has buying BTC's or ETH's volatility paid: realised against implied, a fixed test. Your rules: run_backtest.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    fwd_days: withDefault(integerBetween(1, 60, "Window and maturity"), 14),
    at: asOfArgument
  }),
  result: Schema.Struct({
    coin: Schema.String,
    fwd_days: Schema.Int,
    from: Schema.NullOr(Instant).annotate({ description: "Start of the first window; null: there is none" }),
    to: Schema.NullOr(Instant).annotate({ description: "End of the last window" }),
    overall: Schema.Struct(summary),
    by_iv_regime: Schema.Array(Schema.Struct({ regime: Schema.Literals(ivRegimes), ...summary })),
    now: Schema.Struct({
      iv_pct: quantity("IV of `fwd_days` as last recorded, percent a year", percent),
      iv_percentile: nullableQuantity("Share of the days of its last year below it, percent", percent),
      regime: Regime,
      n: Schema.Int.annotate({ description: "Days of that year that are recorded" })
    }),
    last_windows: Schema.Array(Schema.Struct({
      from: Instant,
      to: Instant,
      iv_pct: quantity("At the start, percent a year", percent),
      realised_pct: quantity("From start to end, percent a year", percent),
      edge_vol_pts: quantity("Realised less implied"),
      regime: Regime
    })).annotate({ description: "The last twelve, oldest first" }),
    method: Schema.String,
    notes,
    ...provenance,
    as_of: asOf("Time of the newest IV; the last window ended before it")
  }),
  example: { coin: "BTC" }
})
