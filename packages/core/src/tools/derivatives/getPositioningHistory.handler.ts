import { Clock, Effect } from "effect"
import { readTakerHours } from "../../analysis/derivatives/takerHours.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { gapNotes, gapRowsOf, uniteGaps } from "../../market/gapRows.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getPositioningHistory } from "./getPositioningHistory.ts"

const notesOn = (
  points: ReadonlyArray<Readonly<Record<string, unknown>>>,
  hours: number
): ReadonlyArray<string> => {
  const notes: Array<string> = []
  if (points.length < hours) {
    notes.push(`Only ${points.length} of the last ${hours} full hours ${points.length === 1 ? "is" : "are"} recorded.`)
  }
  const names = Object.keys(points[0] ?? {}).filter((name) => points.some((point) => point[name] === null))
  if (names.length > 0) {
    notes.push(`Null where it is not recorded (of taker flow, where the hour is not whole): ${names.join(", ")}.`)
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
      const [read, taker] = yield* Effect.all([
        derivatives.perpetualHistory({ coin, from: first, to: last + 1, stepMs: hourMs }),
        readTakerHours(derivatives, coin, first, last)
      ], { concurrency: 2 })
      const points = read.value.points.map((point) => ({
        time: instant(point.time),
        funding_rate_pct: point.fundingRate === null ? null : 100 * point.fundingRate,
        funding_interval_hours: point.fundingIntervalHours,
        open_interest: point.openInterest,
        open_interest_usd: point.openInterestUsd,
        taker_buy_ratio: taker.value.hourTo(point.time).buyRatio,
        long_short_ratio: point.longShortRatio
      }))
      const gaps = uniteGaps(read.value.gaps, taker.value.gaps)
      return {
        coin,
        points,
        gaps: gapRowsOf(gaps),
        notes: [...notesOn(points, hours), ...gapNotes(gaps)],
        ...provenanceOf(read),
        source: sourceOf(read, taker)
      }
    })
  })
)
