import { Clock, Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { fearGreedHistoryDays } from "../../analysis/signals/fearGreed.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { fearGreedComponents } from "../../analysis/signals/vocabulary.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getFearGreed } from "./getFearGreed.ts"

export const handler = handlerOf(
  getFearGreed,
  Effect.gen(function*() {
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*() {
      const reading = yield* derived.fearGreed(fearGreedHistoryDays)
      const history = reading.value
      const today = history[history.length - 1]!
      const changeSince = (daysBack: number): number | null => {
        const then = history.find(({ time }) => time === today.time - daysBack * dayMs)
        return then === undefined ? null : today.value - then.value
      }
      const components = fearGreedComponents.map(({ about, name, weight }, i) => ({
        name,
        weight,
        value: today.components[i]!,
        about
      }))
      const missing = components.filter(({ value }) => value === null).map(({ name }) => name)
      const notes: Array<string> = []
      const midnight = Math.floor((yield* Clock.currentTimeMillis) / dayMs) * dayMs
      if (today.time < midnight) {
        notes.push(
          `There is no value for ${
            formatInstant(midnight)
          }: BTC's previous day was not recorded completely, or no component can be computed. These values are of ${
            formatInstant(today.time)
          }.`
        )
      }
      if (missing.length > 0) notes.push(`Unavailable and not part of the mean: ${missing.join(", ")}.`)
      if (history.length < fearGreedHistoryDays) {
        notes.push(
          `Only ${history.length} of ${fearGreedHistoryDays} days ${history.length === 1 ? "has" : "have"} a value.`
        )
      }
      if (changeSince(1) === null || changeSince(7) === null) {
        notes.push("A change is null if the earlier day has no value.")
      }
      return {
        value: today.value,
        label: today.label,
        change_1d: changeSince(1),
        change_7d: changeSince(7),
        coverage: today.coverage,
        components,
        history: history.map(({ label, time, value }) => ({ time: formatInstant(time), value, label })),
        rule_versions: [rules.fearGreed],
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
