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
  pure: true,
  summary: "Coins whose mentions rose most against the previous day. Is the talk genuine: get_authenticity.",
  parameters: Schema.Struct({ top: topArgument, at: asOfArgument }),
  result: Schema.Struct({
    until: Instant.annotate({ description: "End of the 24 hours, which is the last full hour" }),
    coins: Schema.Array(Schema.Struct({
      coin: Schema.String,
      mentions_24h: activityFields.mentions,
      acceleration: activityFields.acceleration,
      z: activityFields.z,
      sentiment: activityFields.sentiment,
      share_pct: nullableQuantity(
        "Share of the mentions of all coins, percent; null without mentions",
        roundToDecimals(4)
      )
    })).annotate({ description: "By z, highest first; then coins without z, by mentions" }),
    n: Schema.Int.annotate({ description: "Number of ranked coins" }),
    mentions_24h_all: Schema.Int.annotate({
      description: "Mentions of all ranked coins; a post about two coins counts twice"
    }),
    notes,
    ...provenance
  }),
  example: { top: 5 }
})
