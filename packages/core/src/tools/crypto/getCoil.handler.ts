import { Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getCoil } from "./getCoil.ts"

const toPercent = (fraction: number | null): number | null => fraction === null ? null : fraction * 100

export const handler = handlerOf(
  getCoil,
  Effect.gen(function*() {
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*({ coin }) {
      const reading = yield* derived.coil(coin)
      const coil = reading.value
      const { fuel } = coil
      const { high, low } = coil.corridor
      const notes: Array<string> = []
      if (fuel.fundingRate === null) {
        notes.push("fuel has no funding and no score: no funding rate of a perpetual is recorded for this hour.")
      } else if (fuel.score === null) {
        notes.push(
          "fuel.score is null: the perpetual's history is too short or has a gap, or its funding does not vary."
        )
      }
      return {
        coin,
        state: coil.state,
        close: coil.close,
        squeeze_pct: coil.squeezePct,
        charge: coil.charge,
        bars_in_squeeze: coil.barsInSqueeze,
        corridor: {
          low,
          high,
          width_pct: ((high - low) / ((high + low) / 2)) * 100,
          position_pct: ((coil.close - low) / (high - low)) * 100
        },
        fuel: {
          score: fuel.score,
          open_interest_change_pct: toPercent(fuel.openInterestChange),
          funding_rate_pct: toPercent(fuel.fundingRate),
          funding_z: fuel.fundingZ,
          funding_percentile_30d: fuel.fundingPercentile,
          funding_n: fuel.fundingN,
          long_short_ratio: fuel.longShortRatio,
          crowded_side: fuel.crowdedSide
        },
        rule_versions: [rules.coil],
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
