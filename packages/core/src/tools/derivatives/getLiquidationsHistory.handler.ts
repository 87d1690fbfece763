import { Clock, Effect } from "effect"
import {
  getLiquidationSkew,
  isUnrecorded,
  minListedUsd,
  tapeNotes,
  toLiquidationRow,
  toLiquidationTotals
} from "../../analysis/derivatives/liquidations.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { toGapRows } from "../../market/resultRows.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getLiquidationsHistory } from "./getLiquidationsHistory.ts"

export const handler = handlerOf(
  getLiquidationsHistory,
  Effect.gen(function*() {
    const derivatives = yield* CoinDerivatives
    return Effect.fnUntraced(function*({ coin, hours, top }) {
      const to = yield* Clock.currentTimeMillis
      const interval = { from: to - hours * hourMs, to }
      const reading = yield* derivatives.liquidations({
        coin,
        ...interval,
        minSizeUsd: minListedUsd,
        limit: top,
        stepMs: hourMs
      })
      const tape = reading.value
      if (isUnrecorded(tape, interval)) {
        return yield* new NoData({
          subject: `${coin} liquidations`,
          reason: { key: "none_recorded", params: { symbol: coin } }
        })
      }
      const missing = hours - tape.steps.length
      return {
        coin,
        from: formatInstant(interval.from),
        to: formatInstant(to),
        min_size_usd: minListedUsd,
        events: tape.events.map(toLiquidationRow),
        truncated: tape.truncated,
        by_hour: tape.steps.map((step) => ({ time: formatInstant(step.time), ...toLiquidationTotals(step) })),
        totals: { ...toLiquidationTotals(tape), skew: getLiquidationSkew(tape) },
        coverage: tape.coverage,
        gaps: toGapRows(tape.gaps),
        notes: [
          ...tape.truncated
            ? [`The newest ${tape.events.length} of ${tape.count} events are listed; sums count all.`]
            : [],
          ...tapeNotes(tape),
          ...missing > 0
            ? [`${formatCount(missing, "hour")} without any record ${missing === 1 ? "is" : "are"} omitted.`]
            : [],
          ...getLiquidationSkew(tape) === null ? ["skew is null: nothing of that size was liquidated."] : []
        ],
        ...provenanceOf(reading)
      }
    })
  })
)
