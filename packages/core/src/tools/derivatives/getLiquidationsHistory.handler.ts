import { Clock, Effect } from "effect"
import {
  isUnrecorded,
  liquidationRow,
  listedUsd,
  skewOf,
  sumsOf,
  tapeNotes
} from "../../analysis/derivatives/liquidations.ts"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { NoData } from "../../market/errors.ts"
import { gapRowsOf } from "../../market/gapRows.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getLiquidationsHistory } from "./getLiquidationsHistory.ts"

export const handler = handlerOf(
  getLiquidationsHistory,
  Effect.gen(function*() {
    const derivatives = yield* CoinDerivatives
    return Effect.fnUntraced(function*({ coin, hours, top }) {
      const to = yield* Clock.currentTimeMillis
      const interval = { from: to - hours * hourMs, to }
      const read = yield* derivatives.liquidations({
        coin,
        ...interval,
        minSizeUsd: listedUsd,
        limit: top,
        stepMs: hourMs
      })
      const tape = read.value
      if (isUnrecorded(tape, interval)) {
        return yield* new NoData({
          subject: `${coin} liquidations`,
          reason: { key: "none_recorded", params: { symbol: coin } }
        })
      }
      const missing = hours - tape.steps.length
      return {
        coin,
        from: instant(interval.from),
        to: instant(to),
        min_size_usd: listedUsd,
        events: tape.events.map(liquidationRow),
        truncated: tape.truncated,
        by_hour: tape.steps.map((step) => ({ time: instant(step.time), ...sumsOf(step) })),
        totals: { ...sumsOf(tape), skew: skewOf(tape) },
        coverage: tape.coverage,
        gaps: gapRowsOf(tape.gaps),
        notes: [
          ...tape.truncated
            ? [`The newest ${tape.events.length} of ${tape.count} events are listed; sums count all.`]
            : [],
          ...tapeNotes(tape),
          ...missing > 0
            ? [`${counted(missing, "hour")} without any record ${missing === 1 ? "is" : "are"} left out.`]
            : [],
          ...skewOf(tape) === null ? ["skew is null: nothing of that size was liquidated."] : []
        ],
        ...provenanceOf(read)
      }
    })
  })
)
