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
  summary: "The largest coins now: price, change, score, bias; breadth. To filter or sort: screen_coins.",
  parameters: noArguments,
  result: Schema.Struct({
    coins: Schema.Array(Schema.Struct({
      coin: Schema.String,
      price: quantity("USD"),
      change_24h_pct: nullableQuantity("Percent; null where no price of 24 hours ago is known", percent),
      volume_24h_usd: nullableQuantity("USD; null where the 24 hours were not recorded whole"),
      market_cap_usd: nullableQuantity("USD; null where the circulating supply is not known"),
      score: nullableQuantity(
        "Composite score at the last closed hour, -100 to 100; null for stablecoins and coins without one",
        points
      ),
      bias: Schema.NullOr(Schema.Literals(biases))
    })),
    breadth: Schema.Struct({
      advancing: Schema.Int.annotate({ description: "Coins up over 24 hours, stablecoins left out here and below" }),
      declining: Schema.Int,
      unchanged: Schema.Int,
      advancing_pct: nullableQuantity("Advancing over all that have a change, percent", percent),
      bullish: Schema.Int,
      neutral: Schema.Int,
      bearish: Schema.Int,
      mean_score: nullableQuantity("Mean of the scores", points)
    }),
    scored_at: Schema.NullOr(Instant).annotate({ description: "The closed hour that the scores stand on" }),
    rule_versions: ruleVersions,
    notes,
    ...provenance,
    as_of: asOf("Time of the newest price; the scores are those of `scored_at`")
  }),
  example: {}
})
