import { hitRate } from "@tapeline/quant/probability"
import { Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { outcomeHours, signalRuleText, unknownRegimeNote } from "../../analysis/signals/signal.ts"
import { missingHoursNotes } from "../../analysis/staleness.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getSignalOutcomes } from "./getSignalOutcomes.ts"

export const handler = handlerOf(
  getSignalOutcomes,
  Effect.gen(function*() {
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*({ top }) {
      const reading = yield* derived.signals({ hours: outcomeHours })
      const { signals, coinsWithoutData } = reading.value
      const completeSignals = signals.filter(({ missingHours }) => missingHours === 0)
      const endedSignals = completeSignals.flatMap(({ result, ...signal }) =>
        result === null ? [] : [{ ...signal, ...result }]
      )
      const countOutcome = (kind: string): number => endedSignals.filter(({ outcome }) => outcome === kind).length
      const wins = hitRate(endedSignals.filter(({ percent }) => percent > 0).length, endedSignals.length)
      const notes = ["Percentages are before fees. Signals of different coins at the same time are not independent."]
      if (completeSignals.length < signals.length) {
        const leftOutCount = signals.length - completeSignals.length
        notes.push(
          `${formatCount(leftOutCount, "signal")} ${
            leftOutCount === 1 ? "is" : "are"
          } omitted: hours were not recorded, so the outcome is unknown.`
        )
      }
      if (wins === null) notes.push("Rates are null: fewer than 20 signals ended.")
      if (endedSignals.some(({ regime }) => regime === null)) notes.push(unknownRegimeNote)
      if (endedSignals.length > top) {
        notes.push(`The newest ${top} of ${endedSignals.length} outcomes are listed; the summary counts all.`)
      }
      notes.push(...missingHoursNotes(coinsWithoutData))
      return {
        outcomes: endedSignals.slice(-top).map((signal) => ({
          coin: signal.coin,
          side: signal.side,
          score: signal.score,
          opened_at: formatInstant(signal.openedAt),
          closed_at: formatInstant(signal.closedAt),
          outcome: signal.outcome,
          entry: signal.entry,
          exit: signal.exit,
          percent: signal.percent,
          regime: signal.regime?.label ?? null
        })),
        summary: {
          n: endedSignals.length,
          take: countOutcome("take"),
          stop: countOutcome("stop"),
          timeout: countOutcome("timeout"),
          running: completeSignals.length - endedSignals.length,
          win_rate: wins?.rate ?? null,
          wilson_low: wins?.low ?? null,
          wilson_high: wins?.high ?? null,
          mean_percent: wins === null
            ? null
            : endedSignals.reduce((sum, { percent }) => sum + percent, 0) / endedSignals.length
        },
        rule: signalRuleText,
        rule_versions: [rules.signal, rules.score, rules.regime],
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
