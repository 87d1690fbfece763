import { Schema } from "effect"
import { indexFields, marketFields, NamedIndex } from "../../analysis/equities/resultFields.ts"
import { noArguments } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

export const getUsMarket = specify({
  name: "get_us_market",
  area: "us",
  scope: "read:market",
  credits: 5,
  summary: "The US stock market now: indices, VIX and where it stands, breadth, sectors, index futures.",
  parameters: noArguments,
  result: Schema.Struct({
    indices: Schema.Array(NamedIndex),
    vix: Schema.NullOr(Schema.Struct({
      ...indexFields,
      percentile: nullableQuantity("Share of the last `n` sessions' closes below it, percent", percent),
      n: Schema.Int.annotate({ description: "Sessions, of at most 60" })
    })).annotate({ description: "Volatility that options on the S&P 500 imply, percent a year" }),
    ...marketFields,
    futures: Schema.Array(NamedIndex).annotate({
      description: "Each as of its own last trade: they trade at night, and rest at weekends"
    }),
    notes,
    ...provenance
  }),
  example: {}
})
