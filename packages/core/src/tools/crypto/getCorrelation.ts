import { Schema } from "effect"
import { asOfArgument, integerBetween, optional, withDefault } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity } from "../../engine/tool/result.ts"
import { fraction } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { coinsBetween } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

export const getCorrelation = specify({
  name: "get_correlation",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  summary: "Correlations of coins' returns over some days, and the beta of each to BTC.",
  parameters: Schema.Struct({
    coins: optional(coinsBetween(2, 20, "Else the ten largest but stablecoins")),
    days: withDefault(integerBetween(7, 365), 30),
    at: asOfArgument
  }),
  result: Schema.Struct({
    days: Schema.Int,
    tf: Schema.Literals(["1h", "1d"]).annotate({ description: "Closed candles whose log returns are compared" }),
    coins: Schema.Array(Schema.String).annotate({ description: "Of the rows and the columns, in this order" }),
    matrix: Schema.Array(Schema.Array(nullableQuantity("-1 to 1; null for a coin without enough returns", fraction)))
      .annotate({
        description: "Pearson's correlation of each with each, all over the same returns"
      }),
    beta_to_btc: Schema.Array(Schema.Struct({
      coin: Schema.String,
      beta: nullableQuantity("Slope of its returns on BTC's", fraction)
    })),
    mean_correlation: nullableQuantity("Of all pairs", fraction),
    n: Schema.Int.annotate({ description: "Returns: those that every coin told has, and BTC" }),
    notes,
    ...provenance
  }),
  example: { coins: ["BTC", "ETH", "SOL"], days: 14 }
})
