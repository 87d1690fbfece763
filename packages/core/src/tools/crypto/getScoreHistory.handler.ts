import { Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { classifyBias } from "../../analysis/signals/score.ts"
import { lagNotes } from "../../analysis/staleness.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getScoreHistory } from "./getScoreHistory.ts"

export const handler = handlerOf(
  getScoreHistory,
  Effect.gen(function*() {
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*({ coin, hours }) {
      const reading = yield* derived.scoreHistory({ coin, hours })
      const points = reading.value
      return {
        coin,
        points: points.map(({ coverage, score, time }) => ({
          time: formatInstant(time),
          score,
          bias: classifyBias(score),
          coverage
        })),
        rule_versions: [rules.score],
        notes: [
          ...points.length < hours
            ? [
              `Only ${points.length} of the last ${hours} closed hours ${points.length === 1 ? "has" : "have"} a score.`
            ]
            : [],
          ...yield* lagNotes(reading.asOf)
        ],
        ...provenanceOf(reading)
      }
    })
  })
)
