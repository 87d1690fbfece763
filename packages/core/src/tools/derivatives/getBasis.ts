import { Schema } from "effect"
import { asOf, Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

export const curveShapes = ["contango", "backwardation", "mixed"] as const

export const getBasis = specify({
  name: "get_basis",
  area: "derivatives",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Basis of a coin's perpetual and dated futures over spot, annualised; shape of the curve.",
  parameters: Schema.Struct({ coin: CoinArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    mark_price: nullableQuantity("Mark price of the perpetual, USD"),
    index_price: nullableQuantity("Spot index, USD"),
    perp_basis_pct: nullableQuantity("mark_price / index_price - 1, percent", fraction),
    perp_basis_percentile_30d: nullableQuantity(
      "Share of the 4-hourly records of 30 days with a lower basis, percent",
      percent
    ),
    perp_basis_percentile_n: Schema.Int.annotate({ description: "Number of records of these 30 days" }),
    futures: Schema.Array(Schema.Struct({
      instrument: Schema.String,
      expiry: Instant,
      days: quantity("Days until then", roundToDecimals(4)),
      price: quantity("USD"),
      index_price: quantity("Spot index, USD"),
      basis_pct: quantity("price / index_price - 1, percent", fraction),
      annualised_pct: nullableQuantity("basis_pct / days * 365, without compounding; null after expiry", percent)
    })).annotate({ description: "Nearest expiry first; empty for coins with only a perpetual" }),
    structure: Schema.NullOr(Schema.Literals(curveShapes)).annotate({
      description: "contango: all futures above spot; backwardation: all below; null without futures"
    }),
    notes,
    ...provenance,
    as_of: asOf("Time of the perpetual's record")
  }),
  example: { coin: "BTC" }
})
