import { basis } from "@tapeline/quant/derivatives"
import { Clock, Effect } from "effect"
import { recordNotes, unrecordedNotes } from "../../analysis/derivatives/notes.ts"
import { orEmpty, orNoPoints } from "../../analysis/signals/readings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { decimals, fraction } from "../../engine/tool/rounding.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { DatedFuture, PerpetualPoint } from "../../market/derivative.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { getBasis } from "./getBasis.ts"

const stepMs = 4 * hourMs
const windowMs = 30 * dayMs
/** The minimum number of records for a percentile. */
const leastRecords = 30

const basisPct = (price: number, index: number): number => fraction(100 * basis(price, index).basis)

const perpetualBasis = ({ indexPrice, markPrice }: PerpetualPoint): number | null =>
  markPrice === null || indexPrice === null ? null : basisPct(markPrice, indexPrice)

const futureRow = ({ expiryAt, indexPrice, instrument, price, time }: DatedFuture) => {
  // Rounded as in the result, so that a reader can reproduce the annualised value.
  const pct = basisPct(price, indexPrice)
  const days = decimals(4)(Math.max(0, expiryAt - time) / dayMs)
  return {
    instrument,
    expiry: instant(expiryAt),
    days,
    price,
    index_price: indexPrice,
    basis_pct: pct,
    annualised_pct: days === 0 ? null : (pct / days) * 365
  }
}

const structureOf = (rows: ReadonlyArray<{ readonly basis_pct: number }>) =>
  rows.length === 0
    ? null
    : rows.every(({ basis_pct }) => basis_pct > 0)
    ? "contango" as const
    : rows.every(({ basis_pct }) => basis_pct < 0)
    ? "backwardation" as const
    : "mixed" as const

export const handler = handlerOf(
  getBasis,
  Effect.gen(function*() {
    const derivatives = yield* CoinDerivatives
    return Effect.fnUntraced(function*({ coin }) {
      const now = yield* Clock.currentTimeMillis
      const read = yield* derivatives.perpetual(coin)
      const { indexPrice, markPrice, time } = read.value
      const history = yield* orNoPoints(
        derivatives.perpetualHistory({ coin, from: time - windowMs, to: time, stepMs })
      )
      const current = perpetualBasis(read.value)
      const before = history.value.points.flatMap((point) => perpetualBasis(point) ?? [])
      const futures = yield* orEmpty(derivatives.futures(coin))
      const rows = futures.value.map(futureRow)
      const told = { mark_price: markPrice, index_price: indexPrice, perp_basis_pct: current }
      const notes = [...recordNotes(time, now), ...unrecordedNotes(told)]
      if (before.length < leastRecords) {
        notes.push(`perp_basis_percentile_30d needs ${leastRecords} records; ${before.length} are there.`)
      }
      if (rows.length === 0) notes.push("No dated futures: structure is null.")
      else if (rows[0]!.days < 1) notes.push("A basis within a day of expiry, annualised, is mostly noise.")
      return {
        coin,
        ...told,
        perp_basis_percentile_30d: current === null || before.length < leastRecords
          ? null
          : (100 * before.filter((one) => one < current).length) / before.length,
        perp_basis_percentile_n: before.length,
        futures: rows,
        structure: structureOf(rows),
        notes,
        ...provenanceOf(read),
        source: sourceOf(read, history, futures)
      }
    })
  })
)
