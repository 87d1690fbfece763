import { Schema } from "effect"
import { biases, scoreFactors } from "../../analysis/signals/vocabulary.ts"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity, ruleVersions } from "../../engine/tool/result.ts"
import { fraction, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const Pivot = Schema.Struct({ time: Instant, price: quantity("USD"), rsi: quantity("RSI(14) at this time", points) })

export const getScore = specify({
  name: "get_score",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Composite score of a coin, -100 (bearish) to 100, with its factors and RSI divergences.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    score: quantity("100 * sum(weight * value) / sum(weight) over the available factors, -100 to 100", points),
    bias: Schema.Literals(biases).annotate({ description: "bullish from 20, bearish from -20" }),
    coverage: quantity("Share of the weights whose factors were available, 0 to 1", fraction),
    close: quantity("Close of the hour of the score, USD"),
    factors: Schema.Array(Schema.Struct({
      name: Schema.Literals(scoreFactors.map(({ name }) => name)),
      weight: Schema.Finite.annotate({ description: "Weight of the factor in both sums of the score" }),
      value: nullableQuantity(
        "-1 to 1; null if less than two thirds of its window was recorded, and then not part of both sums",
        fraction
      ),
      contribution: nullableQuantity("Part of the score; the contributions add up to the score", points),
      about: Schema.String.annotate({ description: "Formula of the factor" })
    })),
    divergences: Schema.Array(Schema.Struct({
      kind: Schema.Literals(["regular", "hidden"]),
      bias: Schema.Literals(["bullish", "bearish"]),
      from: Pivot,
      to: Pivot,
      confirmed_at: Instant.annotate({ description: "Time at which the later swing was confirmed" })
    })).annotate({
      description:
        "On 1h candles, confirmed within 72 hours, newest last; often empty. Divergences are not a factor of the score"
    }),
    rule_versions: ruleVersions,
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
