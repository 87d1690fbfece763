import { Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { type HitHorizon, hitsOf, type HorizonHits } from "../../analysis/signals/hitRate.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { ruleText } from "../../analysis/signals/signal.ts"
import { silentNotes } from "../../analysis/stale.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getHitRate } from "./getHitRate.ts"

export const handler = handlerOf(
  getHitRate,
  Effect.gen(function*() {
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*({ coin }) {
      const read = yield* derived.hitRates(coin === undefined ? {} : { coin })
      const { from, horizons, signals, silent } = read.value
      const at = (hours: HitHorizon) => {
        const hits: HorizonHits = horizons.find((horizon) => horizon.hours === hours) ?? hitsOf(hours, [])
        return {
          hit_rate: hits.hitRate,
          n: hits.n,
          wilson_low: hits.wilsonLow,
          wilson_high: hits.wilsonHigh,
          mean_return_pct: hits.meanReturnPct
        }
      }
      const result = { "1h": at(1), "4h": at(4), "24h": at(24) }
      const notes = ["Returns run from the entry to the close of the hour; take and stop play no part here."]
      if (coin === undefined) {
        notes.push("Signals of different coins at the same time are not independent: the intervals are too narrow.")
      }
      if (Object.values(result).some(({ hit_rate }) => hit_rate === null)) {
        notes.push("Rates are null where n is under 20.")
      }
      notes.push(...silentNotes(silent))
      return {
        coin: coin ?? null,
        horizons: result,
        signals,
        from: instant(from),
        rule: ruleText,
        rule_versions: [rules.signal, rules.score, rules.regime],
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
