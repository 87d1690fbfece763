import { basis } from "@tapeline/quant/derivatives"
import { Clock, Effect } from "effect"
import { nullFieldNotes, staleRecordNotes } from "../../analysis/derivatives/recordNotes.ts"
import { orEmptyList, orEmptySeries } from "../../analysis/signals/readings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { fraction, roundToDecimals } from "../../engine/tool/rounding.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { DatedFuture, PerpetualPoint } from "../../market/derivative.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { getBasis } from "./getBasis.ts"

const stepMs = 4 * hourMs
const windowMs = 30 * dayMs
const minRecords = 30

const computeBasisPct = (price: number, index: number): number => fraction(100 * basis(price, index).basis)

const computePerpetualBasis = ({ indexPrice, markPrice }: PerpetualPoint): number | null =>
  markPrice === null || indexPrice === null ? null : computeBasisPct(markPrice, indexPrice)

const toFutureRow = ({ expiryAt, indexPrice, instrument, price, time }: DatedFuture) => {
  // The values are rounded as in the result, so that a reader can reproduce the annualised value.
  const pct = computeBasisPct(price, indexPrice)
  const days = roundToDecimals(4)(Math.max(0, expiryAt - time) / dayMs)
  return {
    instrument,
    expiry: formatInstant(expiryAt),
    days,
    price,
    index_price: indexPrice,
    basis_pct: pct,
    annualised_pct: days === 0 ? null : (pct / days) * 365
  }
}

const classifyStructure = (rows: ReadonlyArray<{ readonly basis_pct: number }>) =>
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
      const reading = yield* derivatives.perpetual(coin)
      const { indexPrice, markPrice, time } = reading.value
      const history = yield* orEmptySeries(
        derivatives.perpetualHistory({ coin, from: time - windowMs, to: time, stepMs })
      )
      const current = computePerpetualBasis(reading.value)
      const previousValues = history.value.points.flatMap((point) => computePerpetualBasis(point) ?? [])
      const futures = yield* orEmptyList(derivatives.futures(coin))
      const rows = futures.value.map(toFutureRow)
      const perpetualFields = { mark_price: markPrice, index_price: indexPrice, perp_basis_pct: current }
      const notes = [...staleRecordNotes(time, now), ...nullFieldNotes(perpetualFields)]
      if (previousValues.length < minRecords) {
        notes.push(`perp_basis_percentile_30d needs ${minRecords} records; ${previousValues.length} exist.`)
      }
      if (rows.length === 0) notes.push("No dated futures: structure is null.")
      else if (rows[0]!.days < 1) notes.push("An annualised basis within a day of expiry is mostly noise.")
      return {
        coin,
        ...perpetualFields,
        perp_basis_percentile_30d: current === null || previousValues.length < minRecords
          ? null
          : (100 * previousValues.filter((value) => value < current).length) / previousValues.length,
        perp_basis_percentile_n: previousValues.length,
        futures: rows,
        structure: classifyStructure(rows),
        notes,
        ...provenanceOf(reading),
        source: sourceText(reading, history, futures)
      }
    })
  })
)
