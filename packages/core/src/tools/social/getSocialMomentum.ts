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
  pure: true,
  summary: "Does talk about a coin grow or fade: last 24 hours against the previous 24. All coins: get_trending.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    until: Instant.annotate({ description: "End of the 24 hours, which is the last full hour" }),
    mentions_24h: activityFields.mentions,
    mentions_prior_24h: Schema.Int.annotate({ description: "Posts of the previous 24 hours" }),
    velocity: nullableQuantity(
      "mentions_24h / 24, posts per hour; null if an hour was not recorded completely",
      fraction
    ),
    acceleration: activityFields.acceleration,
    z: activityFields.z,
    breadth: nullableQuantity(
      "Sum of the accounts of each hour / mentions_24h; 1 if no account posts twice within an hour; null without posts",
      fraction
    ),
    sentiment: activityFields.sentiment,
    sentiment_prior_24h: nullableQuantity("Mean tone of the previous 24 hours; null if no post has a tone", fraction),
    trajectory: Schema.NullOr(Schema.Literals(trajectories)).annotate({
      description:
        "steady if |z| < 2, otherwise surging (acceleration at least 1), rising (above 0), fading (above -0.5) or collapsing; null if acceleration is null"
    }),
    mentions_percentile_7d: nullableQuantity(
      "Share of the 24-hour sums that ended at the 168 full hours before `until` and are below mentions_24h, percent; null with fewer than 100 sums",
      percent
    ),
    percentile_n: quantity("Number of these sums that were recorded completely"),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
