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
  summary: "A coin's liquidations one by one (from 10,000 USD) and by hour. The last hour: get_liquidations.",
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
    min_size_usd: quantity("Everything here is of liquidations of at least this"),
    events: Schema.Array(LiquidationRow).annotate({ description: "The newest `top`, oldest first" }),
    truncated: Schema.Boolean.annotate({ description: "Whether older ones were cut from events" }),
    by_hour: Schema.Array(Schema.Struct({
      time: Instant.annotate({ description: "Beginning of the hour; hours count back from `to`" }),
      ...sums
    })).annotate({ description: "Over all events, those cut included; the last is get_liquidations' hour" }),
    totals: Schema.Struct({ ...sums, skew: skewField }).annotate({
      description: "Over all events, those cut included"
    }),
    coverage: coverageField,
    gaps: GapRows,
    notes,
    ...provenance
  }),
  example: { coin: "BTC", hours: 48 }
})
