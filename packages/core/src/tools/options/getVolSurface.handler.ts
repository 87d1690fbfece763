import { Effect } from "effect"
import { formatExpiryDate } from "../../analysis/options/expiry.ts"
import { fitSurface } from "../../analysis/options/fittedSmile.ts"
import { makeIndexNotes, rankIv, readIvYear } from "../../analysis/options/ivRank.ts"
import {
  interpolateAtMaturity,
  type SmilePoint,
  summariseTerm,
  type TermPoint
} from "../../analysis/options/termStructure.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { ImpliedVolatilities } from "../../market/ImpliedVolatilities.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { getVolSurface } from "./getVolSurface.ts"

const toSmileFields = ({ atm, bf25, rr25 }: SmilePoint) => ({ atm, rr25, bf25 })

export const handler = handlerOf(
  getVolSurface,
  Effect.gen(function*() {
    const venue = yield* OptionsVenue
    const volatilities = yield* ImpliedVolatilities
    const compute = yield* Compute
    const readStanding = (coin: string, term: ReadonlyArray<TermPoint>, days: number) =>
      Effect.map(readIvYear(volatilities, coin, days), (year) => {
        const point = interpolateAtMaturity(term, days)
        return { days, ...point, year, standing: year === null ? null : rankIv(year.value, point.atm) }
      })
    return Effect.fnUntraced(function*({ coin }) {
      const reading = yield* venue.chain({ coin })
      const { calendarFree, smiles } = yield* fitSurface(compute, reading.value)
      const term = summariseTerm(reading.value, smiles)
      const fits = smiles.map((smile) => smile?.fit ?? null)
      const unfittedExpiries = term.filter((_, i) => fits[i] === null).map(({ expiryAt }) => formatExpiryDate(expiryAt))
      const maturities = yield* Effect.forEach([7, 30, 90], (days) => readStanding(coin, term, days))
      const notes: Array<string> = []
      if (maturities.some(({ standing }) => standing === null)) {
        notes.push("atm_percentile is null if there is no quote at the money, or no recorded history of this maturity.")
      }
      notes.push(...makeIndexNotes(maturities.map(({ standing }) => standing), "atm_percentile of 30 days is", "atm"))
      if (unfittedExpiries.length > 0) {
        notes.push(`Not fitted because of fewer than five quotes: ${unfittedExpiries.join(", ")}.`)
      }
      const expiriesWithoutWing = term.filter(({ rr25 }) => rr25 === null).map(({ expiryAt }) =>
        formatExpiryDate(expiryAt)
      )
      if (expiriesWithoutWing.length > 0) {
        notes.push(`No quote at the money or at a 25-delta wing: ${expiriesWithoutWing.join(", ")}.`)
      }
      return {
        coin,
        by_expiry: term.map((point, i) => {
          const fit = fits[i] ?? null
          return {
            expiry: formatExpiryDate(point.expiryAt),
            days: point.days,
            forward: point.forward,
            ...toSmileFields(point),
            svi: fit?.svi ?? null,
            fit_rmse_pct: fit === null ? null : 100 * fit.rmse,
            n: point.strikeCount,
            butterfly_free: fit?.butterflyFree ?? null
          }
        }),
        constant_maturity: maturities.map(({ days, standing, ...point }) => ({
          days,
          ...toSmileFields(point),
          atm_percentile: standing?.percentile ?? null,
          n: standing?.sampleSize ?? 0
        })),
        calendar_free: calendarFree,
        arbitrage_free: fits.every((fit) => fit === null)
          ? null
          : calendarFree !== false && fits.every((fit) => fit === null || fit.butterflyFree),
        notes,
        ...provenanceOf(reading),
        source: sourceText(reading, ...maturities.flatMap(({ year }) => year === null ? [] : [year]))
      }
    })
  })
)
