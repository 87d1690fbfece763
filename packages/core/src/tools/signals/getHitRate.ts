import { Schema } from "effect"
import { optional } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, ruleVersions } from "../../engine/tool/result.ts"
import { fraction, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const Horizon = Schema.Struct({
  hit_rate: nullableQuantity(
    "Share of signals with a return above 0 in their direction, 0 to 1; null, like all fields except n, with fewer than 20 signals",
    fraction
  ),
  n: Schema.Int.annotate({ description: "Number of signals whose horizon has passed" }),
  wilson_low: nullableQuantity("Bound of the 95 % Wilson interval", fraction),
  wilson_high: nullableQuantity("Bound of the 95 % Wilson interval", fraction),
  mean_return_pct: nullableQuantity("Mean return in the signal's direction, percent, before fees", percent)
})

export const getHitRate = specify({
  name: "get_hit_rate",
  area: "signals",
  scope: "read:market",
  credits: 20,
  summary: "How often paper-trade signals of 90 days were right after 1, 4, 24 hours. Each trade: get_signal_outcomes.",
  parameters: Schema.Struct({ coin: optional(CoinArgument) }),
  result: Schema.Struct({
    coin: Schema.NullOr(Schema.String).annotate({ description: "Null for all coins" }),
    horizons: Schema.Struct({ "1h": Horizon, "4h": Horizon, "24h": Horizon }),
    signals: Schema.Int.annotate({ description: "Number of signals that opened since `from`" }),
    from: Instant,
    rule: Schema.String,
    rule_versions: ruleVersions,
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
