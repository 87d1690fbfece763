import { Schema } from "effect"
import { asOfArgument, hoursArgument } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity } from "../../engine/tool/result.ts"
import { fraction } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { GapRows } from "../../market/resultRows.ts"

export const getSocialHistory = specify({
  name: "get_social_history",
  area: "social",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Posts about a coin by hour: mentions, accounts, tone.",
  parameters: Schema.Struct({ coin: CoinArgument, hours: hoursArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    points: Schema.Array(Schema.Struct({
      time: Instant.annotate({ description: "Start of the hour, UTC" }),
      mentions: Schema.Int.annotate({ description: "Posts" }),
      authors: Schema.Int.annotate({ description: "Distinct accounts within the hour" }),
      sentiment: nullableQuantity("Mean tone, -1 to 1; null if no post has a tone", fraction),
      closed: Schema.optionalKey(Schema.Literal(false)).annotate({
        description: "Present only on a last hour that is not over: its values can still change"
      })
    })).annotate({ description: "Oldest first; hours without records are missing" }),
    gaps: GapRows,
    notes,
    ...provenance
  }),
  example: { coin: "BTC", hours: 12 }
})
