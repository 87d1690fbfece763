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
  summary: "The US stock market now: indices, VIX and its percentile, breadth, sectors, index futures.",
  parameters: noArguments,
  result: Schema.Struct({
    indices: Schema.Array(NamedIndex),
    vix: Schema.NullOr(Schema.Struct({
      ...indexFields,
      percentile: nullableQuantity("Share of the last `n` sessions with a lower close, percent", percent),
      n: Schema.Int.annotate({ description: "Number of sessions, at most 60" })
    })).annotate({ description: "Implied volatility of options on the S&P 500, percent a year" }),
    ...marketFields,
    futures: Schema.Array(NamedIndex).annotate({
      description: "Each at its own last trade; futures trade at night, but not at weekends"
    }),
    notes,
    ...provenance
  }),
  example: {}
})
