import { Schema } from "effect"
import { fearGreedComponents, fearGreedLabels } from "../../analysis/signals/vocabulary.ts"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity, ruleVersions } from "../../engine/tool/result.ts"
import { fraction, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

export const getFearGreed = specify({
  name: "get_fear_greed",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Fear and greed index of crypto, 0 (fear) to 100, its components, 30 days of history.",
  parameters: Schema.Struct({ at: asOfArgument }),
  result: Schema.Struct({
    value: quantity("0 to 100, as of the last 00:00 UTC", points),
    label: Schema.Literals(fearGreedLabels).annotate({
      description: "Below 25 extreme fear, below 45 fear, up to 55 neutral, up to 75 greed, above 75 extreme greed"
    }),
    change_1d: nullableQuantity("From the previous day, points", points),
    change_7d: nullableQuantity("From 7 days earlier, points", points),
    coverage: quantity("Share of the weights whose components were available, 0 to 1", fraction),
    components: Schema.Array(Schema.Struct({
      name: Schema.Literals(fearGreedComponents.map(({ name }) => name)),
      weight: Schema.Finite.annotate({ description: "Weight in the mean of the available components" }),
      value: nullableQuantity(
        "0 (fear) to 100 (greed); null if it cannot be computed and is not part of the mean",
        points
      ),
      about: Schema.String.annotate({ description: "Formula of the component" })
    })),
    history: Schema.Array(
      Schema.Struct({
        time: Instant,
        value: Schema.Finite.annotate({ description: "0 (fear) to 100 (greed)" }),
        label: Schema.Literals(fearGreedLabels)
      })
    ),
    rule_versions: ruleVersions,
    notes,
    ...provenance
  }),
  example: {}
})
