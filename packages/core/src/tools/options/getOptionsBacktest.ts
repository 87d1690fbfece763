import { Schema } from "effect"
import { ivRegimes } from "../../analysis/options/ivRegime.ts"
import { asOfArgument, integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { asOf, Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const summary = {
  n: Schema.Int.annotate({ description: "Number of windows; with fewer than 20, the other fields are null" }),
  win_rate: nullableQuantity("Share of windows in which realised exceeded implied volatility, 0 to 1", fraction),
  wilson_low: nullableQuantity("Bound of the 95 % Wilson interval", fraction),
  wilson_high: nullableQuantity("Bound of the 95 % Wilson interval", fraction),
  mean_edge_vol_pts: nullableQuantity("Mean of realised minus implied volatility, points, before costs", percent)
}

const Regime = Schema.NullOr(Schema.Literals(ivRegimes)).annotate({
  description: "Third of the previous year's IV that contains the IV; null if too few days are recorded"
})

export const getOptionsBacktest = specify({
  name: "get_options_backtest",
  area: "options",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary:
    "Has buying BTC's or ETH's volatility paid: realised against implied, a fixed test. Your own rules: run_backtest.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    fwd_days: withDefault(integerBetween(1, 60, "Window and maturity"), 14),
    at: asOfArgument
  }),
  result: Schema.Struct({
    coin: Schema.String,
    fwd_days: Schema.Int,
    from: Schema.NullOr(Instant).annotate({ description: "Start of the first window; null without windows" }),
    to: Schema.NullOr(Instant).annotate({ description: "End of the last window" }),
    overall: Schema.Struct(summary),
    by_iv_regime: Schema.Array(Schema.Struct({ regime: Schema.Literals(ivRegimes), ...summary })),
    now: Schema.Struct({
      iv_pct: quantity("Last recorded IV of `fwd_days`, percent a year", percent),
      iv_percentile: nullableQuantity("Share of the days of the last year with a lower IV, percent", percent),
      regime: Regime,
      n: Schema.Int.annotate({ description: "Number of recorded days of this year" })
    }),
    last_windows: Schema.Array(Schema.Struct({
      from: Instant,
      to: Instant,
      iv_pct: quantity("IV at the start, percent a year", percent),
      realised_pct: quantity("Realised from start to end, percent a year", percent),
      edge_vol_pts: quantity("Realised minus implied volatility, points"),
      regime: Regime
    })).annotate({ description: "The last twelve windows, oldest first" }),
    method: Schema.String,
    notes,
    ...provenance,
    as_of: asOf("Time of the latest IV; the last window ended before it")
  }),
  example: { coin: "BTC" }
})
