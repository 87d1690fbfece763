import { Schema } from "effect"
import { biases, scoreFactors } from "../../analysis/signals/vocabulary.ts"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity, ruleVersions } from "../../engine/tool/result.ts"
import { fraction, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const Pivot = Schema.Struct({ time: Instant, price: quantity("USD"), rsi: quantity("RSI(14) there", points) })

export const getScore = specify({
  name: "get_score",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  summary: "Composite score of a coin, -100 (bearish) to 100, with its factors and RSI divergences.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    score: quantity("100 * sum(weight * value) / sum(weight) over the available factors, -100 to 100", points),
    bias: Schema.Literals(biases).annotate({ description: "bullish from 20, bearish from -20" }),
    coverage: quantity("Share of the weights that was available, 0 to 1", fraction),
    close: quantity("Close of the hour that the score stands on, USD"),
    factors: Schema.Array(Schema.Struct({
      name: Schema.Literals(scoreFactors.map(({ name }) => name)),
      weight: Schema.Finite.annotate({ description: "Its weight in both sums of the score" }),
      value: nullableQuantity(
        "-1 to 1; null when it is not available (less than two thirds of its window was recorded), and then it is left out of both sums",
        fraction
      ),
      contribution: nullableQuantity("Its part of the score; contributions add up to it", points),
      about: Schema.String.annotate({ description: "Its formula" })
    })),
    divergences: Schema.Array(Schema.Struct({
      kind: Schema.Literals(["regular", "hidden"]),
      bias: Schema.Literals(["bullish", "bearish"]),
      from: Pivot,
      to: Pivot,
      confirmed_at: Instant.annotate({ description: "When the later swing was known to be one" })
    })).annotate({
      description: "On 1h candles, confirmed within 72 hours, newest last; often none. They are no factor"
    }),
    rule_versions: ruleVersions,
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
