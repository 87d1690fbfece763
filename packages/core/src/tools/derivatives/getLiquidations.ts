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
  pure: true,
  summary:
    "A coin's liquidations of the last hour. List: get_liquidations_history; possible future ones: get_liquidation_map.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    from: Instant,
    to: Instant,
    long_usd: quantity("Liquidated longs, USD"),
    short_usd: quantity("Liquidated shorts, USD"),
    skew: skewField,
    count: Schema.Int,
    largest: Schema.NullOr(LiquidationRow),
    listed: Schema.Struct({ long_usd: quantity("USD"), short_usd: quantity("USD"), count: Schema.Int }).annotate({
      description: "Only liquidations of at least 10,000 USD, as in the last hour of get_liquidations_history"
    }),
    coverage: coverageField,
    gaps: GapRows,
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
