import { Effect } from "effect"
import { expiryDate } from "../../analysis/options/expiry.ts"
import { fitSurface } from "../../analysis/options/fittedSmile.ts"
import { ivYear, standingOf } from "../../analysis/options/ivHistory.ts"
import { atMaturity, type SmilePoint, termOf, type TermPoint } from "../../analysis/options/term.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { ImpliedVolatilities } from "../../market/ImpliedVolatilities.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { getVolSurface } from "./getVolSurface.ts"

const smileFieldsOf = ({ atm, bf25, rr25 }: SmilePoint) => ({ atm, rr25, bf25 })

export const handler = handlerOf(
  getVolSurface,
  Effect.gen(function*() {
    const venue = yield* OptionsVenue
    const volatilities = yield* ImpliedVolatilities
    const compute = yield* Compute
    const standingAt = (coin: string, term: ReadonlyArray<TermPoint>, days: number) =>
      Effect.map(ivYear(volatilities, coin, days), (year) => {
        const point = atMaturity(term, days)
        return { days, ...point, year, standing: year === null ? null : standingOf(year.value, point.atm) }
      })
    return Effect.fnUntraced(function*({ coin }) {
      const read = yield* venue.chain({ coin })
      const { calendarFree, smiles } = yield* fitSurface(compute, read.value)
      const term = termOf(read.value, smiles)
      const fits = smiles.map((smile) => smile?.fit ?? null)
      const unfitted = term.filter((_, i) => fits[i] === null).map(({ expiryAt }) => expiryDate(expiryAt))
      const maturities = yield* Effect.forEach([7, 30, 90], (days) => standingAt(coin, term, days))
      const notes: Array<string> = []
      if (maturities.some(({ standing }) => standing === null)) {
        notes.push("atm_percentile is null where the money is not quoted, or no history of that maturity is recorded.")
      }
      if (unfitted.length > 0) notes.push(`Fewer than five quotes to fit: ${unfitted.join(", ")}.`)
      const wingless = term.filter(({ rr25 }) => rr25 === null).map(({ expiryAt }) => expiryDate(expiryAt))
      if (wingless.length > 0) notes.push(`The money or a 25-delta wing is not quoted: ${wingless.join(", ")}.`)
      return {
        coin,
        by_expiry: term.map((point, i) => {
          const fit = fits[i] ?? null
          return {
            expiry: expiryDate(point.expiryAt),
            days: point.days,
            forward: point.forward,
            ...smileFieldsOf(point),
            svi: fit?.svi ?? null,
            fit_rmse_pct: fit === null ? null : 100 * fit.rmse,
            n: point.n,
            butterfly_free: fit?.butterflyFree ?? null
          }
        }),
        constant_maturity: maturities.map(({ days, standing, ...point }) => ({
          days,
          ...smileFieldsOf(point),
          atm_percentile: standing?.percentile ?? null,
          n: standing?.n ?? 0
        })),
        calendar_free: calendarFree,
        arbitrage_free: fits.every((fit) => fit === null)
          ? null
          : calendarFree !== false && fits.every((fit) => fit === null || fit.butterflyFree),
        notes,
        ...provenanceOf(read),
        source: sourceOf(read, ...maturities.flatMap(({ year }) => year === null ? [] : [year]))
      }
    })
  })
)
