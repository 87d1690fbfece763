import { Schema } from "effect"
import { noArguments } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

export const getWatchlist = specify({
  name: "get_watchlist",
  area: "journal",
  scope: "read:personal",
  credits: 1,
  pure: true,
  summary: "The coins of the caller's watchlist, with price and change.",
  parameters: noArguments,
  result: Schema.Struct({
    coins: Schema.Array(Schema.Struct({
      coin: Schema.String,
      price: nullableQuantity("USD"),
      change_24h_pct: nullableQuantity("Percent", percent)
    })).annotate({ description: "In the order of their addition" }),
    notes,
    ...provenance
  }),
  example: {}
})
