import { Schema } from "effect"
import { trajectories } from "../../analysis/social/vocabulary.ts"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { activityFields } from "./fields.ts"

export const getSocialMomentum = specify({
  name: "get_social_momentum",
  area: "social",
  scope: "read:market",
  credits: 1,
  summary: "Does talk about a coin grow or fade: 24 hours against the 24 before. All coins: get_trending.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    until: Instant.annotate({ description: "End of the 24 hours: the last full hour" }),
    mentions_24h: activityFields.mentions,
    mentions_prior_24h: Schema.Int.annotate({ description: "Posts of the 24 hours before those" }),
    velocity: nullableQuantity("mentions_24h / 24, posts an hour; null where an hour was not recorded whole", fraction),
    acceleration: activityFields.acceleration,
    z: activityFields.z,
    breadth: nullableQuantity(
      "Accounts of each hour, added up, over mentions_24h: 1 where nobody posts twice in an hour; null without posts",
      fraction
    ),
    sentiment: activityFields.sentiment,
    sentiment_prior_24h: nullableQuantity("The same of the 24 hours before; null where no post has a tone", fraction),
    trajectory: Schema.NullOr(Schema.Literals(trajectories)).annotate({
      description:
        "steady where |z| < 2; else surging (acceleration at least 1), rising (above 0), fading (above -0.5), collapsing; null where acceleration is"
    }),
    mentions_percentile_7d: nullableQuantity(
      "Share of the 24-hour sums that ended on the 168 full hours before `until` and are below mentions_24h, percent; null under 100 of them",
      percent
    ),
    percentile_n: quantity("How many of these sums were recorded whole"),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
