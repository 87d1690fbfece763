import { compositeScore } from "@tapeline/quant/indicators"
import { Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { classifyBias } from "../../analysis/signals/score.ts"
import { scoreFactors } from "../../analysis/signals/vocabulary.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { roundParts } from "../../engine/tool/rounding.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { getScore } from "./getScore.ts"

export const handler = handlerOf(
  getScore,
  Effect.gen(function*() {
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*({ coin }) {
      const reading = yield* derived.score(coin)
      const { hour, score } = reading.value
      const divergences = yield* derived.divergences(coin)
      const factors = scoreFactors.map((factor, i) => ({ ...factor, value: hour.factors[i]! }))
      const { contributions } = compositeScore(factors)
      const available = contributions.filter(({ contribution }) => contribution !== null)
      const roundedContributions = roundParts(available.map(({ contribution }) => contribution!), score, 4)
      const missing = factors.filter(({ value }) => value === null).map(({ name }) => name)
      const notes: Array<string> = []
      if (missing.length > 0) notes.push(`Unavailable and not part of the score: ${missing.join(", ")}.`)
      const { comparedSince } = divergences.value
      if (comparedSince !== null) {
        notes.push(
          `Divergences include only swings since ${
            formatInstant(comparedSince)
          }, because earlier hours were not recorded.`
        )
      }
      return {
        coin,
        score,
        bias: classifyBias(score),
        coverage: hour.coverage,
        close: hour.candle.close,
        factors: factors.map(({ about, name, value, weight }, i) => ({
          name,
          weight,
          value,
          contribution: roundedContributions[available.indexOf(contributions[i]!)] ?? null,
          about
        })),
        divergences: divergences.value.divergences.map((divergence) => ({
          kind: divergence.kind,
          bias: divergence.bias,
          from: { time: formatInstant(divergence.fromTime), price: divergence.fromPrice, rsi: divergence.fromRsi },
          to: { time: formatInstant(divergence.toTime), price: divergence.toPrice, rsi: divergence.toRsi },
          confirmed_at: formatInstant(divergence.confirmedAt)
        })),
        rule_versions: [rules.score, rules.divergence],
        notes,
        ...provenanceOf(reading),
        source: sourceText(reading, divergences)
      }
    })
  })
)
