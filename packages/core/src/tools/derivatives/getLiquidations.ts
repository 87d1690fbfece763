import { Schema } from "effect"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { Instant, notes, quantity } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { GapRows } from "../../market/resultRows.ts"
import { coverageField, LiquidationRow, skewField } from "./fields.ts"

export const getLiquidations = specify({
  name: "get_liquidations",
  area: "derivatives",
  scope: "read:market",
  credits: 1,
  summary:
    "A coin's liquidations of the last hour. List: get_liquidations_history; what may come: get_liquidation_map.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    from: Instant,
    to: Instant,
    long_usd: quantity("Longs closed by force, USD"),
    short_usd: quantity("Shorts closed by force, USD"),
    skew: skewField,
    count: Schema.Int,
    largest: Schema.NullOr(LiquidationRow),
    listed: Schema.Struct({ long_usd: quantity("USD"), short_usd: quantity("USD"), count: Schema.Int }).annotate({
      description: "Of these, those of at least 10,000 USD: the last hour of get_liquidations_history"
    }),
    coverage: coverageField,
    gaps: GapRows,
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
