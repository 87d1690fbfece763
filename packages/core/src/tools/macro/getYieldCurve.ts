import { Schema } from "effect"
import { withDefault } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

const yields = roundToDecimals(4)
const points = roundToDecimals(2)

export const getYieldCurve = specify({
  name: "get_yield_curve",
  area: "macro",
  scope: "read:market",
  credits: 5,
  summary: "Government yields by maturity, US or Korea: 10y-2y spread, inversion, change in a month.",
  parameters: Schema.Struct({
    country: withDefault(Schema.Literals(["US", "KR"]), "US")
  }),
  result: Schema.Struct({
    country: Schema.Literals(["US", "KR"]),
    tenors: Schema.Array(Schema.Struct({
      tenor: Schema.String.annotate({ description: "Maturity, such as 3M, 2Y or 10Y" }),
      years: quantity("Years to maturity", roundToDecimals(4)),
      yield_pct: quantity("Percent a year", yields),
      yield_1m_ago_pct: nullableQuantity("Yield of 30 days earlier; null if not recorded", yields),
      change_1m_bps: nullableQuantity("Change over 30 days, basis points", points)
    })).annotate({ description: "Shortest first" }),
    spread_10y_2y_bps: nullableQuantity(
      "Ten-year minus two-year yield, basis points; null if either is not reported",
      points
    ),
    spread_10y_3m_bps: nullableQuantity("Ten-year minus three-month yield, basis points", points),
    inverted: Schema.NullOr(Schema.Boolean).annotate({ description: "Whether spread_10y_2y_bps is below 0" }),
    change_1m_bps: nullableQuantity(
      "Change of spread_10y_2y_bps over 30 days; above 0, the curve has steepened",
      points
    ),
    notes,
    ...provenance
  }),
  example: { country: "US" }
})
