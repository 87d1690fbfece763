import { hitRate } from "@tapeline/quant/probability"
import { Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { ruleText, unknownRegime } from "../../analysis/signals/signal.ts"
import { silentNotes } from "../../analysis/stale.ts"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getSignalOutcomes } from "./getSignalOutcomes.ts"

const hours = 720

export const handler = handlerOf(
  getSignalOutcomes,
  Effect.gen(function*() {
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*({ top }) {
      const read = yield* derived.signals({ hours })
      const { signals, silent } = read.value
      const known = signals.filter(({ missingHours }) => missingHours === 0)
      const ended = known.flatMap(({ result, ...signal }) => result === null ? [] : [{ ...signal, ...result }])
      const count = (kind: string): number => ended.filter(({ outcome }) => outcome === kind).length
      const wins = hitRate(ended.filter(({ percent }) => percent > 0).length, ended.length)
      const notes = ["Percent is before fees. Signals of different coins at the same time are not independent."]
      if (known.length < signals.length) {
        const left = signals.length - known.length
        notes.push(
          `${counted(left, "signal")} ${
            left === 1 ? "is" : "are"
          } left out: hours were not recorded, so that the outcome is not known.`
        )
      }
      if (wins === null) notes.push("Rates are null: fewer than 20 signals ended.")
      if (ended.some(({ regime }) => regime === null)) notes.push(unknownRegime)
      if (ended.length > top) {
        notes.push(`The newest ${top} of ${ended.length} outcomes are listed; the summary counts all.`)
      }
      notes.push(...silentNotes(silent))
      return {
        outcomes: ended.slice(-top).map((signal) => ({
          coin: signal.coin,
          side: signal.side,
          score: signal.score,
          opened_at: instant(signal.openedAt),
          closed_at: instant(signal.closedAt),
          outcome: signal.outcome,
          entry: signal.entry,
          exit: signal.exit,
          percent: signal.percent,
          regime: signal.regime?.label ?? null
        })),
        summary: {
          n: ended.length,
          take: count("take"),
          stop: count("stop"),
          timeout: count("timeout"),
          running: known.length - ended.length,
          win_rate: wins?.rate ?? null,
          wilson_low: wins?.low ?? null,
          wilson_high: wins?.high ?? null,
          mean_percent: wins === null ? null : ended.reduce((sum, { percent }) => sum + percent, 0) / ended.length
        },
        rule: ruleText,
        rule_versions: [rules.signal, rules.score, rules.regime],
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
