import { Schema } from "effect"
import { asOfArgument, topArgument } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity } from "../../engine/tool/result.ts"
import { roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"
import { activityFields } from "./fields.ts"

export const getTrending = specify({
  name: "get_trending",
  area: "social",
  scope: "read:market",
  credits: 1,
  summary: "Coins whose mentions rose most against the day before. Is the talk genuine: get_authenticity.",
  parameters: Schema.Struct({ top: topArgument, at: asOfArgument }),
  result: Schema.Struct({
    until: Instant.annotate({ description: "End of the 24 hours: the last full hour" }),
    coins: Schema.Array(Schema.Struct({
      coin: Schema.String,
      mentions_24h: activityFields.mentions,
      acceleration: activityFields.acceleration,
      z: activityFields.z,
      sentiment: activityFields.sentiment,
      share_pct: nullableQuantity("Of the mentions of all coins, percent; null without any", roundToDecimals(4))
    })).annotate({ description: "By z, highest first; without z last, by mentions" }),
    n: Schema.Int.annotate({ description: "Coins that were ranked" }),
    mentions_24h_all: Schema.Int.annotate({
      description: "Mentions of all of them; a post about two coins counts twice"
    }),
    notes,
    ...provenance
  }),
  example: { top: 5 }
})
