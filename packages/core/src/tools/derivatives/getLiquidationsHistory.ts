import { Schema } from "effect"
import { asOfArgument, hoursArgument, integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, quantity } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { GapRows } from "../../market/resultRows.ts"
import { coverageField, LiquidationRow, skewField } from "./fields.ts"

const sums = { long_usd: quantity("USD"), short_usd: quantity("USD"), count: Schema.Int }

export const getLiquidationsHistory = specify({
  name: "get_liquidations_history",
  area: "derivatives",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "A coin's single liquidations (from 10,000 USD) and hourly sums. The last hour: get_liquidations.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    hours: hoursArgument,
    top: withDefault(integerBetween(1, 1000), 60),
    at: asOfArgument
  }),
  result: Schema.Struct({
    coin: Schema.String,
    from: Instant,
    to: Instant,
    min_size_usd: quantity("Minimum size of the liquidations in all fields, USD"),
    events: Schema.Array(LiquidationRow).annotate({ description: "The newest `top`, oldest first" }),
    truncated: Schema.Boolean.annotate({ description: "Whether older events were omitted" }),
    by_hour: Schema.Array(Schema.Struct({
      time: Instant.annotate({ description: "Beginning of the hour; hours count back from `to`" }),
      ...sums
    })).annotate({
      description: "Hourly sums over all events, including omitted ones; the last is the hour of get_liquidations"
    }),
    totals: Schema.Struct({ ...sums, skew: skewField }).annotate({
      description: "Sums over all events, including omitted ones"
    }),
    coverage: coverageField,
    gaps: GapRows,
    notes,
    ...provenance
  }),
  example: { coin: "BTC", hours: 48 }
})
