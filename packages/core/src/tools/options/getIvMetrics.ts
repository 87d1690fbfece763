import { Schema } from "effect"
import { asOf, Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const atMoney = (days: number) =>
  nullableQuantity(`At the forward, ${days} days, percent a year; null: not between two expiries`, percent)

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
    iv_rank: nullableQuantity("Of 30-day IV: 0 at the low of `history`, 100 at its high", percent),
    iv_percentile: nullableQuantity("Share of the days of `history` below the present 30-day IV, percent", percent),
    history: Schema.NullOr(Schema.Struct({
      method: Schema.Literals(["atm_interpolated", "index"]).annotate({
        description: "At the money as here, or an index that the venue publishes"
      }),
      current_pct: quantity("What is ranked: 30-day IV of the same method, percent a year", percent),
      n: Schema.Int.annotate({ description: "Days recorded, of at most 365" }),
      from: Instant
    })).annotate({ description: "What rank and percentile are told from; null where nothing is recorded" }),
    term_structure: Schema.Array(Schema.Struct({
      expiry: Schema.String.annotate({ description: "Date, UTC" }),
      days: quantity("Days until then", roundToDecimals(2)),
      atm_iv_pct: nullableQuantity("Percent a year", percent),
      skew_25d: nullableQuantity("Points", percent),
      butterfly_25d: nullableQuantity("Points", percent)
    })).annotate({ description: "Every listed expiry, the nearest first" }),
    term_slope_pts: nullableQuantity("90-day less 7-day IV, points: below 0 the near term is dearer (stress)", percent),
    skew_25d: nullableQuantity(
      "30 days: IV of the 25-delta call less that of the 25-delta put, points; below 0: falls are dearer than rises",
      percent
    ),
    butterfly_25d: nullableQuantity("30 days: mean IV of the two wings less at the money, points", percent),
    realised_30d_pct: nullableQuantity(
      "Close-to-close volatility of 30 days of closed 1h candles, percent a year; its percentile: get_volatility",
      percent
    ),
    realised_n: Schema.Int.annotate({ description: "Hourly returns in it" }),
    iv_minus_rv: nullableQuantity(
      "30-day IV less realised_30d_pct, points: above 0, options cost more than moves did",
      percent
    ),
    notes,
    ...provenance,
    as_of: asOf("Time of the quotes; history is of the hours before it")
  }),
  example: { coin: "BTC" }
})
