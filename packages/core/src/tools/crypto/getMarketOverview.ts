import { Schema } from "effect"
import { biases } from "../../analysis/signals/vocabulary.ts"
import { noArguments } from "../../engine/tool/argument.ts"
import { asOf, Instant, notes, nullableQuantity, quantity, ruleVersions } from "../../engine/tool/result.ts"
import { percent, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

export const getMarketOverview = specify({
  name: "get_market_overview",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "The largest coins now: price, change, score, bias; breadth. To filter or sort: screen_coins.",
  parameters: noArguments,
  result: Schema.Struct({
    coins: Schema.Array(Schema.Struct({
      coin: Schema.String,
      price: quantity("USD"),
      change_24h_pct: nullableQuantity("Percent; null if the price of 24 hours ago is unknown", percent),
      volume_24h_usd: nullableQuantity("USD; null if the 24 hours were not recorded completely"),
      market_cap_usd: nullableQuantity("USD; null if the circulating supply is unknown"),
      score: nullableQuantity(
        "Composite score at the last closed hour, -100 to 100; null for stablecoins and coins without a score",
        points
      ),
      bias: Schema.NullOr(Schema.Literals(biases))
    })),
    breadth: Schema.Struct({
      advancing: Schema.Int.annotate({ description: "Coins up over 24 hours; breadth excludes stablecoins" }),
      declining: Schema.Int,
      unchanged: Schema.Int,
      advancing_pct: nullableQuantity("Share of advancing coins among the coins with a change, percent", percent),
      bullish: Schema.Int,
      neutral: Schema.Int,
      bearish: Schema.Int,
      mean_score: nullableQuantity("Mean of the scores", points)
    }),
    scored_at: Schema.NullOr(Instant).annotate({ description: "The closed hour of the scores" }),
    rule_versions: ruleVersions,
    notes,
    ...provenance,
    as_of: asOf("Time of the latest price; the scores are of `scored_at`")
  }),
  example: {}
})
