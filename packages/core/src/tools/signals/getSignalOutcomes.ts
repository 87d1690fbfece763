import { Schema } from "effect"
import { outcomeKinds, regimeLabels, signalSides } from "../../analysis/signals/vocabulary.ts"
import { integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity, ruleVersions } from "../../engine/tool/result.ts"
import { fraction, level, percent, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

export const getSignalOutcomes = specify({
  name: "get_signal_outcomes",
  area: "signals",
  scope: "read:market",
  credits: 20,
  summary: "Ended paper-trade signals of 30 days: take, stop or timeout. In total: get_hit_rate.",
  parameters: Schema.Struct({ top: withDefault(integerBetween(1, 300), 40) }),
  result: Schema.Struct({
    outcomes: Schema.Array(Schema.Struct({
      coin: Schema.String,
      side: Schema.Literals(signalSides),
      score: quantity("Composite score that opened the signal", points),
      opened_at: Instant,
      closed_at: Instant.annotate({ description: "Close of the hour in which the signal ended" }),
      outcome: Schema.Literals(outcomeKinds),
      entry: quantity("USD", level),
      exit: quantity("USD", level),
      percent: quantity("Return in the signal's direction, percent, before fees", percent),
      regime: Schema.NullOr(Schema.Literals(regimeLabels))
    })).annotate({ description: "Oldest opening first; at most the newest `top`" }),
    summary: Schema.Struct({
      n: Schema.Int.annotate({ description: "Number of ended signals, including those that are not listed" }),
      take: Schema.Int,
      stop: Schema.Int,
      timeout: Schema.Int,
      running: Schema.Int.annotate({
        description: "Number of signals that opened in the same period and have not ended"
      }),
      win_rate: nullableQuantity(
        "Share of signals with `percent` above 0; null, like the next three fields, with fewer than 20 signals",
        fraction
      ),
      wilson_low: nullableQuantity("Bound of the 95 % Wilson interval", fraction),
      wilson_high: nullableQuantity("Bound of the 95 % Wilson interval", fraction),
      mean_percent: nullableQuantity("Mean of `percent`", percent)
    }),
    rule: Schema.String,
    rule_versions: ruleVersions,
    notes,
    ...provenance
  }),
  example: {}
})
