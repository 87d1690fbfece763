import { Schema } from "effect"
import { regimeLabels, signalSides } from "../../analysis/signals/vocabulary.ts"
import { noArguments } from "../../engine/tool/argument.ts"
import { asOf, Instant, notes, quantity, ruleVersions } from "../../engine/tool/result.ts"
import { level, percent, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

export const getActiveSignals = specify({
  name: "get_active_signals",
  area: "signals",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Open paper-trade signals: entry, take, stop, unrealised return. Ended: get_signal_outcomes.",
  parameters: noArguments,
  result: Schema.Struct({
    signals: Schema.Array(Schema.Struct({
      coin: Schema.String,
      side: Schema.Literals(signalSides),
      score: quantity("Composite score that opened the signal", points),
      entry: quantity("USD", level),
      take: quantity("USD", level),
      stop: quantity("USD", level),
      opened_at: Instant,
      expires_at: Instant.annotate({ description: "Time of the timeout" }),
      price: quantity("Current price, USD"),
      unrealised_pct: quantity("Return in the signal's direction at the current price, percent, before fees", percent),
      regime: Schema.NullOr(Schema.Literals(regimeLabels))
    })),
    rule: Schema.String,
    rule_versions: ruleVersions,
    notes,
    ...provenance,
    as_of: asOf("The last recorded hour, which decides which signals are open; prices are current")
  }),
  example: {}
})
