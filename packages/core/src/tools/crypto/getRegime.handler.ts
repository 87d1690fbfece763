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
          "fear_greed is null: BTC's last UTC day was not recorded completely, or no component can be computed."
        )
      } else {
        const { components } = fearGreed.day
        const missing = fearGreedComponents.filter((_, i) => components[i] === null).map(({ name }) => name)
        if (missing.length > 0) notes.push(`fear_greed does not include unavailable components: ${missing.join(", ")}.`)
      }
      if (regime.ethAgainstBtcMove === null) {
        notes.push("Too little of ETH's last 30 days is recorded, so the risk score uses only BTC.")
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
          { name: "adx", value: regime.adx, about: "ADX(14) of BTC's 1h candles: above 25 the trend is strong" },
          {
            name: "volatility_24h_pct",
            value: regime.volatility24h * 100,
            about: "Realised volatility of BTC's last 24 hourly returns, percent a year"
          },
          {
            name: "volatility_percentile",
            value: regime.volatilityPercentile,
            about: "Share of the previous 30 days with a lower volatility, percent"
          },
          {
            name: "risk_score",
            value: regime.riskScore,
            about: "-100 to 100: half BTC's move, a quarter ETH against BTC, a quarter low volatility"
          },
          { name: "btc_7d_move", value: regime.btcMove, about: "BTC's log return of 7 days in standard deviations" },
          {
            name: "eth_against_btc_7d_move",
            value: regime.ethAgainstBtcMove,
            about:
              "Log return of ETH / BTC over 7 days in standard deviations; above 0, investors take more risk than BTC"
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
