import { Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { fearGreedComponents } from "../../analysis/signals/vocabulary.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { getRegime } from "./getRegime.ts"

export const handler = handlerOf(
  getRegime,
  Effect.gen(function*() {
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*() {
      const reading = yield* derived.regime
      const regime = reading.value
      const fearGreed = yield* derived.fearGreed(1).pipe(
        Effect.map(({ sources, value }) => ({ sources, day: value[0] })),
        Effect.catchTag("NoData", () => Effect.succeed({ sources: [], day: undefined }))
      )
      const notes: Array<string> = []
      if (fearGreed.day === undefined) {
        notes.push(
          "fear_greed is null: BTC's day before the last 00:00 UTC was not recorded whole, or none of its components can be told."
        )
      } else {
        const { components } = fearGreed.day
        const missing = fearGreedComponents.filter((_, i) => components[i] === null).map(({ name }) => name)
        if (missing.length > 0) notes.push(`fear_greed is without what is not available: ${missing.join(", ")}.`)
      }
      if (regime.ethAgainstBtcMove === null) {
        notes.push("Too little of the last 30 days of ETH is recorded; the risk score stands on BTC alone.")
      }
      return {
        trend: regime.trend,
        volatility: regime.volatility,
        risk: regime.risk,
        fear_greed: fearGreed.day?.value ?? null,
        fear_greed_label: fearGreed.day?.label ?? null,
        label: regime.label,
        evidence: [
          {
            name: "trend_spread",
            value: regime.trendSpread,
            about: "(EMA(50) - EMA(200)) / ATR(14) of BTC's 1h candles"
          },
          { name: "adx", value: regime.adx, about: "ADX(14) of BTC's 1h candles: above 25 a move has strength" },
          {
            name: "volatility_24h_pct",
            value: regime.volatility24h * 100,
            about: "Realised volatility of BTC's last 24 hourly returns, percent a year"
          },
          {
            name: "volatility_percentile",
            value: regime.volatilityPercentile,
            about: "Share of the 30 days before with a lower one, percent"
          },
          {
            name: "risk_score",
            value: regime.riskScore,
            about: "-100 to 100: half BTC's move, a quarter ETH against BTC, a quarter calm"
          },
          { name: "btc_7d_move", value: regime.btcMove, about: "BTC's log return of 7 days in standard deviations" },
          {
            name: "eth_against_btc_7d_move",
            value: regime.ethAgainstBtcMove,
            about: "The same of ETH / BTC: above 0 risk is sought beyond BTC"
          }
        ],
        rule_versions: [rules.regime, rules.fearGreed],
        notes,
        ...provenanceOf(reading),
        source: sourceText(reading, fearGreed)
      }
    })
  })
)
