import { Schema } from "effect"
import { asOf, Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const atMoney = (days: number) =>
  nullableQuantity(`IV at the forward for ${days} days, percent a year; null if not between two expiries`, percent)

export const getIvMetrics = specify({
  name: "get_iv_metrics",
  area: "options",
  scope: "read:market",
  credits: 5,
  summary: "Is BTC's, ETH's or SOL's implied volatility high: rank, term, skew, realised. Smiles: get_vol_surface.",
  parameters: Schema.Struct({ coin: CoinArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    atm_iv_pct: Schema.Struct({ "7d": atMoney(7), "30d": atMoney(30), "90d": atMoney(90) }),
    iv_rank: nullableQuantity(
      "Position of history.current_pct between the low (0) and the high (100) of `history`",
      percent
    ),
    iv_percentile: nullableQuantity("Share of the days of `history` below history.current_pct, percent", percent),
    history: Schema.NullOr(Schema.Struct({
      method: Schema.Literals(["atm_interpolated", "index"]).annotate({
        description: "IV at the money as in this result, or an index of the venue"
      }),
      current_pct: quantity("The ranked value: 30-day IV of the same method, percent a year", percent),
      n: Schema.Int.annotate({ description: "Days recorded, of at most 365" }),
      from: Instant
    })).annotate({ description: "The history of rank and percentile; null without records" }),
    term_structure: Schema.Array(Schema.Struct({
      expiry: Schema.String.annotate({ description: "Date, UTC" }),
      days: quantity("Days until then", roundToDecimals(2)),
      atm_iv_pct: nullableQuantity("Percent a year", percent),
      skew_25d: nullableQuantity("Points", percent),
      butterfly_25d: nullableQuantity("Points", percent)
    })).annotate({ description: "All listed expiries, nearest first" }),
    term_slope_pts: nullableQuantity(
      "90-day minus 7-day IV, points; below 0, the near term is more expensive (stress)",
      percent
    ),
    skew_25d: nullableQuantity(
      "30 days: IV of the 25-delta call minus IV of the 25-delta put, points; below 0, puts are more expensive than calls",
      percent
    ),
    butterfly_25d: nullableQuantity("30 days: mean IV of the two wings minus IV at the money, points", percent),
    realised_30d_pct: nullableQuantity(
      "Close-to-close volatility of 30 days of closed 1h candles, percent a year; its percentile: get_volatility",
      percent
    ),
    realised_n: Schema.Int.annotate({ description: "Number of hourly returns of realised_30d_pct" }),
    iv_minus_rv: nullableQuantity(
      "30-day IV minus realised_30d_pct, points; above 0, options cost more than past moves",
      percent
    ),
    notes,
    ...provenance,
    as_of: asOf("Time of the quotes; history is of the hours before it")
  }),
  example: { coin: "BTC" }
})
