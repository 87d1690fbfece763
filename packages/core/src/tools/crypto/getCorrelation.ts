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
  pure: true,
  summary: "Correlations of coins' returns over some days, and the beta of each to BTC.",
  parameters: Schema.Struct({
    coins: optional(coinsBetween(2, 20, "Default: ten largest, no stablecoins")),
    days: withDefault(integerBetween(7, 365), 30),
    at: asOfArgument
  }),
  result: Schema.Struct({
    days: Schema.Int,
    tf: Schema.Literals(["1h", "1d"]).annotate({ description: "The closed candles whose log returns are compared" }),
    coins: Schema.Array(Schema.String).annotate({ description: "The coins of the rows and columns, in this order" }),
    matrix: Schema.Array(Schema.Array(nullableQuantity("-1 to 1; null for a coin without enough returns", fraction)))
      .annotate({
        description: "Pearson's correlation of each pair, over the same returns for all pairs"
      }),
    beta_to_btc: Schema.Array(Schema.Struct({
      coin: Schema.String,
      beta: nullableQuantity("Slope of the coin's returns on BTC's returns", fraction)
    })),
    mean_correlation: nullableQuantity("Mean over all pairs", fraction),
    n: Schema.Int.annotate({ description: "Number of returns that all listed coins and BTC have" }),
    notes,
    ...provenance
  }),
  example: { coins: ["BTC", "ETH", "SOL"], days: 14 }
})
