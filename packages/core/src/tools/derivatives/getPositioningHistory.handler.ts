import { Clock, Effect } from "effect"
import { readTakerHours } from "../../analysis/derivatives/takerHours.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { mergeGaps, omittedGapsNote, toGapRows } from "../../market/resultRows.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getPositioningHistory } from "./getPositioningHistory.ts"

const makeNotes = (
  points: ReadonlyArray<Readonly<Record<string, unknown>>>,
  hours: number
): ReadonlyArray<string> => {
  const notes: Array<string> = []
  if (points.length < hours) {
    notes.push(`Only ${points.length} of the last ${hours} full hours ${points.length === 1 ? "is" : "are"} recorded.`)
  }
  const names = Object.keys(points[0] ?? {}).filter((name) => points.some((point) => point[name] === null))
  if (names.length > 0) {
    notes.push(`Null in hours that were not recorded (for taker flow, not recorded completely): ${names.join(", ")}.`)
  }
  return notes
}

export const handler = handlerOf(
  getPositioningHistory,
  Effect.gen(function*() {
    const derivatives = yield* CoinDerivatives
    return Effect.fnUntraced(function*({ coin, hours }) {
      const last = Math.floor((yield* Clock.currentTimeMillis) / hourMs) * hourMs
      const first = last - (hours - 1) * hourMs
      const [perpetualReading, taker] = yield* Effect.all([
        derivatives.perpetualHistory({ coin, from: first, to: last + 1, stepMs: hourMs }),
        readTakerHours(derivatives, coin, first, last)
      ], { concurrency: 2 })
      const points = perpetualReading.value.points.map((point) => ({
        time: formatInstant(point.time),
        funding_rate_pct: point.fundingRate === null ? null : 100 * point.fundingRate,
        funding_interval_hours: point.fundingIntervalHours,
        open_interest: point.openInterest,
        open_interest_usd: point.openInterestUsd,
        taker_buy_ratio: taker.value.hourEndingAt(point.time).buyRatio,
        long_short_ratio: point.longShortRatio
      }))
      const gaps = mergeGaps(perpetualReading.value.gaps, taker.value.gaps)
      return {
        coin,
        points,
        gaps: toGapRows(gaps),
        notes: [...makeNotes(points, hours), ...omittedGapsNote(gaps)],
        ...provenanceOf(perpetualReading),
        source: sourceText(perpetualReading, taker)
      }
    })
  })
)
