import { Schema } from "effect"
import { biases } from "../../analysis/signals/vocabulary.ts"
import { asOfArgument, hoursArgument } from "../../engine/tool/argument.ts"
import { Instant, notes, quantity, ruleVersions } from "../../engine/tool/result.ts"
import { fraction, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

export const getScoreHistory = specify({
  name: "get_score_history",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Composite score of a coin by hour, as known at each hour's close. Latest, with factors: get_score.",
  parameters: Schema.Struct({ coin: CoinArgument, hours: hoursArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    points: Schema.Array(Schema.Struct({
      time: Instant.annotate({ description: "Close of the hour" }),
      score: quantity("-100 to 100", points),
      bias: Schema.Literals(biases),
      coverage: quantity("Share of the weights whose factors were available, 0 to 1", fraction)
    })),
    rule_versions: ruleVersions,
    notes,
    ...provenance
  }),
  example: { coin: "BTC", hours: 48 }
})
