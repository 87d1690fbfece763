import { Schema } from "effect"
import { numberAbove, optional } from "../../engine/tool/argument.ts"
import { asOf, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

export const getProbability = specify({
  name: "get_probability",
  area: "signals",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Probability that a coin ends up, ends above or touches a level; expected move.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    horizon_min: Schema.Literals([10, 30, 60, 240, 1440]).annotate({ description: "Minutes" }),
    target: optional(numberAbove(0, "Level, USD"))
  }),
  result: Schema.Struct({
    coin: Schema.String,
    horizon_min: Schema.Finite.annotate({ description: "Minutes from now" }),
    price: quantity("Current price, USD"),
    target: nullableQuantity("The requested level, USD"),
    p_up: quantity("0.5 by construction: the model has no drift", fraction),
    p_above: nullableQuantity(
      "Probability that the price at the horizon is above the target; null without a target",
      fraction
    ),
    p_touch: nullableQuantity(
      "Probability that the price touches the target before the horizon; null without a target",
      fraction
    ),
    expected_move_pct: nullableQuantity("Mean absolute move over the horizon, percent of the price", percent),
    range_68: Schema.NullOr(Schema.Struct({ low: quantity("USD", level), high: quantity("USD", level) })).annotate({
      description: "One standard deviation in both directions at the horizon"
    }),
    sigma_annualised_pct: nullableQuantity("Realised volatility used for all values, percent a year", percent),
    sigma_window: Schema.Struct({
      tf: Schema.Literals(["5m", "15m", "1h"]).annotate({
        description: "Closed candles whose log returns were measured"
      }),
      n: Schema.Int.annotate({ description: "Number of returns in the sample" }),
      standard_error_pct: nullableQuantity(
        "Standard error of the volatility, percent of the volatility, from the kurtosis of the sample; larger while volatility changes",
        percent
      )
    }),
    notes,
    ...provenance,
    as_of: asOf("Time of the price; the volatility is of closed candles before it")
  }),
  example: { coin: "BTC", horizon_min: 240, target: 100_000 }
})
