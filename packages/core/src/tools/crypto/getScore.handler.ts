import { compositeScore } from "@tapeline/quant/indicators"
import { Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { biasOf } from "../../analysis/signals/score.ts"
import { scoreFactors } from "../../analysis/signals/vocabulary.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { parts } from "../../engine/tool/rounding.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { getScore } from "./getScore.ts"

export const handler = handlerOf(
  getScore,
  Effect.gen(function*() {
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*({ coin }) {
      const read = yield* derived.score(coin)
      const { hour, score } = read.value
      const divergences = yield* derived.divergences(coin)
      const factors = scoreFactors.map((factor, i) => ({ ...factor, value: hour.factors[i]! }))
      const { contributions } = compositeScore(factors)
      const available = contributions.filter(({ contribution }) => contribution !== null)
      const written = parts(available.map(({ contribution }) => contribution!), score, 4)
      const missing = factors.filter(({ value }) => value === null).map(({ name }) => name)
      const notes: Array<string> = []
      if (missing.length > 0) notes.push(`Not available and left out of the score: ${missing.join(", ")}.`)
      const { since } = divergences.value
      if (since !== null) {
        notes.push(`Divergences are of swings since ${instant(since)} alone: hours before it were not recorded.`)
      }
      return {
        coin,
        score,
        bias: biasOf(score),
        coverage: hour.coverage,
        close: hour.candle.close,
        factors: factors.map(({ about, name, value, weight }, i) => ({
          name,
          weight,
          value,
          contribution: written[available.indexOf(contributions[i]!)] ?? null,
          about
        })),
        divergences: divergences.value.found.map((found) => ({
          kind: found.kind,
          bias: found.bias,
          from: { time: instant(found.fromTime), price: found.fromPrice, rsi: found.fromRsi },
          to: { time: instant(found.toTime), price: found.toPrice, rsi: found.toRsi },
          confirmed_at: instant(found.confirmedAt)
        })),
        rule_versions: [rules.score, rules.divergence],
        notes,
        ...provenanceOf(read),
        source: sourceOf(read, divergences)
      }
    })
  })
)
