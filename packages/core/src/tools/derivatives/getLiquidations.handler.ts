import { Clock, Effect } from "effect"
import {
  isUnrecorded,
  liquidationRow,
  listedUsd,
  skewOf,
  sumsOf,
  tapeNotes
} from "../../analysis/derivatives/liquidations.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { Liquidation, LiquidationTape } from "../../market/derivative.ts"
import { NoData } from "../../market/errors.ts"
import { gapRowsOf } from "../../market/gapRows.ts"
import { provenanceOf } from "../../market/provenance.ts"
import type { Interval } from "../../market/series.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getLiquidations } from "./getLiquidations.ts"

const largestOf = (events: ReadonlyArray<Liquidation>): Liquidation | undefined =>
  events.reduce<Liquidation | undefined>(
    (largest, event) => largest === undefined || event.sizeUsd > largest.sizeUsd ? event : largest,
    undefined
  )

/** Returns the note for a null skew. If the recording has gaps, it is unknown whether anything was liquidated. */
const noSkewNote = ({ coverage, gaps }: LiquidationTape): string =>
  gaps.length === 0 && coverage !== "sampled"
    ? "skew is null: nothing was liquidated."
    : "skew is null: no liquidation was recorded."

export const handler = handlerOf(
  getLiquidations,
  Effect.gen(function*() {
    const derivatives = yield* CoinDerivatives

    /**
     * Returns the largest liquidation. If the tape is cut, also searches among those at least as large as the largest
     * kept one.
     */
    const readLargest = Effect.fnUntraced(function*(tape: LiquidationTape, query: { coin: string } & Interval) {
      const kept = largestOf(tape.events)
      if (!tape.truncated || kept === undefined) return kept
      const larger = yield* derivatives.liquidations({ ...query, minSizeUsd: kept.sizeUsd, limit: tape.count })
      return largestOf(larger.value.events) ?? kept
    })

    return Effect.fnUntraced(function*({ coin }) {
      const to = yield* Clock.currentTimeMillis
      const query = { coin, from: to - hourMs, to }
      const read = yield* derivatives.liquidations(query)
      const tape = read.value
      if (isUnrecorded(tape, query)) {
        return yield* new NoData({
          subject: `${coin} liquidations`,
          reason: { key: "none_recorded", params: { symbol: coin } }
        })
      }
      const listed = yield* derivatives.liquidations({ ...query, minSizeUsd: listedUsd, limit: 1 })
      const largest = yield* readLargest(tape, query)
      return {
        coin,
        from: instant(query.from),
        to: instant(to),
        ...sumsOf(tape),
        skew: skewOf(tape),
        largest: largest === undefined ? null : liquidationRow(largest),
        listed: sumsOf(listed.value),
        coverage: tape.coverage,
        gaps: gapRowsOf(tape.gaps),
        notes: [
          ...tapeNotes(tape),
          ...skewOf(tape) === null ? [noSkewNote(tape)] : []
        ],
        ...provenanceOf(read)
      }
    })
  })
)
