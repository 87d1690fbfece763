import { Schema } from "effect"
import { asOfArgument, integerBetween } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity } from "../../engine/tool/result.ts"
import { fraction, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const wilsonBound = nullableQuantity("Bound of the 95 % Wilson interval", fraction)

export const getShortCalibration = specify({
  name: "get_short_calibration",
  area: "signals",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary:
    "How often a coin rose within minutes, and how often naive signals were right. Paper-trade signals: get_hit_rate.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    horizon_min: integerBetween(5, 1440, "Minutes"),
    at: asOfArgument
  }),
  result: Schema.Struct({
    coin: Schema.String,
    horizon_min: Schema.Int.annotate({ description: "Minutes, as requested" }),
    measured_min: Schema.Int.annotate({ description: "Length of the windows: the horizon in multiples of 5 minutes" }),
    tf: Schema.Literals(["5m", "15m", "1h"]).annotate({ description: "The candles of the windows" }),
    up_fraction: nullableQuantity(
      "Share of the windows that closed above their open, 0 to 1; null with fewer than 20 windows",
      fraction
    ),
    n: Schema.Int.annotate({
      description: "Number of consecutive windows, which begin at multiples of their length since 1970"
    }),
    wilson_low: wilsonBound,
    wilson_high: wilsonBound,
    flat: Schema.Int.annotate({ description: "Windows that closed at their open, which win for neither direction" }),
    mean_return_pct: nullableQuantity("Mean return of a window, percent", fraction),
    mean_move_pct: nullableQuantity("Mean absolute return of a window, percent", percent),
    signals: Schema.Array(Schema.Struct({
      name: Schema.String,
      rule: Schema.String,
      win_rate: nullableQuantity(
        "Share of the signal's calls that agree with the next window's return, 0 to 1; null with fewer than 20 calls",
        fraction
      ),
      n: Schema.Int.annotate({ description: "Number of windows with a call" }),
      wilson_low: wilsonBound,
      wilson_high: wilsonBound,
      now: Schema.NullOr(Schema.Literals(["up", "down", "none"])).annotate({
        description: "The signal's call for the current window; null if the previous window is not recorded"
      })
    })),
    from: Schema.NullOr(Instant).annotate({ description: "Beginning of the first window" }),
    to: Schema.NullOr(Instant).annotate({ description: "End of the last window" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC", horizon_min: 60 }
})
