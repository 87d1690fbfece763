import { Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { computeHits, type HitHorizon, type HorizonHits } from "../../analysis/signals/hitRate.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { signalRuleText } from "../../analysis/signals/signal.ts"
import { missingHoursNotes } from "../../analysis/staleness.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getHitRate } from "./getHitRate.ts"

export const handler = handlerOf(
  getHitRate,
  Effect.gen(function*() {
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*({ coin }) {
      const reading = yield* derived.hitRates(coin === undefined ? {} : { coin })
      const { from, horizons, signals, coinsWithoutData } = reading.value
      const toHorizonRow = (hours: HitHorizon) => {
        const hits: HorizonHits = horizons.find((horizon) => horizon.hours === hours) ?? computeHits(hours, [])
        return {
          hit_rate: hits.hitRate,
          n: hits.n,
          wilson_low: hits.wilsonLow,
          wilson_high: hits.wilsonHigh,
          mean_return_pct: hits.meanReturnPct
        }
      }
      const result = { "1h": toHorizonRow(1), "4h": toHorizonRow(4), "24h": toHorizonRow(24) }
      const notes = ["Returns are from the entry to the close of the hour, regardless of target and stop."]
      if (coin === undefined) {
        notes.push("Signals of different coins at the same time are not independent: the intervals are too narrow.")
      }
      if (Object.values(result).some(({ hit_rate }) => hit_rate === null)) {
        notes.push("Rates are null if n is below 20.")
      }
      notes.push(...missingHoursNotes(coinsWithoutData))
      return {
        coin: coin ?? null,
        horizons: result,
        signals,
        from: formatInstant(from),
        rule: signalRuleText,
        rule_versions: [rules.signal, rules.score, rules.regime],
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
