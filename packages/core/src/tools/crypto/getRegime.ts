import { Schema } from "effect"
import { fearGreedLabels, regimeLabels, risks, trends, volatilityRegimes } from "../../analysis/signals/vocabulary.ts"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity, ruleVersions } from "../../engine/tool/result.ts"
import { level, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

export const getRegime = specify({
  name: "get_regime",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Regime of the crypto market: trend, volatility, risk appetite, with evidence.",
  parameters: Schema.Struct({ at: asOfArgument }),
  result: Schema.Struct({
    trend: Schema.Literals(trends).annotate({
      description: "up or down if BTC's EMA(50) is at least one ATR(14) above or below its EMA(200), on 1h candles"
    }),
    volatility: Schema.Literals(volatilityRegimes).annotate({
      description:
        "Percentile of BTC's 24-hour volatility among the previous 30 days: low below 20, normal below 80, high below 95, otherwise extreme"
    }),
    risk: Schema.Literals(risks).annotate({ description: "risk_on from a risk score of 25, risk_off from -25" }),
    fear_greed: nullableQuantity("0 (fear) to 100 (greed), as of the last 00:00 UTC", points),
    fear_greed_label: Schema.NullOr(Schema.Literals(fearGreedLabels)),
    label: Schema.Literals(regimeLabels).annotate({
      description:
        "panic: risk_off with extreme volatility; otherwise the trend, or without a trend the range by its volatility"
    }),
    evidence: Schema.Array(Schema.Struct({
      name: Schema.String,
      value: nullableQuantity("Value in the unit of `about`", level),
      about: Schema.String
    })),
    rule_versions: ruleVersions,
    notes,
    ...provenance
  }),
  example: {}
})
