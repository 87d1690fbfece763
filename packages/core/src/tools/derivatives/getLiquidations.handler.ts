import { Clock, Effect } from "effect"
import {
  getLiquidationSkew,
  isUnrecorded,
  minListedUsd,
  tapeNotes,
  toLiquidationRow,
  toLiquidationTotals
} from "../../analysis/derivatives/liquidations.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { Liquidation, LiquidationTape } from "../../market/derivative.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { toGapRows } from "../../market/resultRows.ts"
import type { Interval } from "../../market/series.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getLiquidations } from "./getLiquidations.ts"

const findLargest = (events: ReadonlyArray<Liquidation>): Liquidation | undefined =>
  events.reduce<Liquidation | undefined>(
    (largest, event) => largest === undefined || event.sizeUsd > largest.sizeUsd ? event : largest,
    undefined
  )

/** Returns the note that explains why the skew is null. If the recording has gaps, liquidations may be missing. */
const makeNoSkewNote = ({ coverage, gaps }: LiquidationTape): string =>
  gaps.length === 0 && coverage !== "sampled"
    ? "skew is null: nothing was liquidated."
    : "skew is null: no liquidation was recorded."

export const handler = handlerOf(
  getLiquidations,
  Effect.gen(function*() {
    const derivatives = yield* CoinDerivatives

    /**
     * Returns the largest liquidation. If the list of events was cut at the limit, a second search looks for larger
     * liquidations.
     */
    const readLargest = Effect.fnUntraced(function*(tape: LiquidationTape, query: { coin: string } & Interval) {
      const largestKept = findLargest(tape.events)
      if (!tape.truncated || largestKept === undefined) return largestKept
      const larger = yield* derivatives.liquidations({ ...query, minSizeUsd: largestKept.sizeUsd, limit: tape.count })
      return findLargest(larger.value.events) ?? largestKept
    })

    return Effect.fnUntraced(function*({ coin }) {
      const to = yield* Clock.currentTimeMillis
      const query = { coin, from: to - hourMs, to }
      const reading = yield* derivatives.liquidations(query)
      const tape = reading.value
      if (isUnrecorded(tape, query)) {
        return yield* new NoData({
          subject: `${coin} liquidations`,
          reason: { key: "none_recorded", params: { symbol: coin } }
        })
      }
      const listed = yield* derivatives.liquidations({ ...query, minSizeUsd: minListedUsd, limit: 1 })
      const largest = yield* readLargest(tape, query)
      return {
        coin,
        from: formatInstant(query.from),
        to: formatInstant(to),
        ...toLiquidationTotals(tape),
        skew: getLiquidationSkew(tape),
        largest: largest === undefined ? null : toLiquidationRow(largest),
        listed: toLiquidationTotals(listed.value),
        coverage: tape.coverage,
        gaps: toGapRows(tape.gaps),
        notes: [
          ...tapeNotes(tape),
          ...getLiquidationSkew(tape) === null ? [makeNoSkewNote(tape)] : []
        ],
        ...provenanceOf(reading)
      }
    })
  })
)
