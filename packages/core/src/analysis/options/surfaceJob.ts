/** The compute job that fits each slice of a volatility surface, and then checks the slices together. */
import { type Svi, sviCalendar, sviFit } from "@tapeline/quant/options"
import { Schema } from "effect"
import { Column, type Job } from "../../engine/compute/job.ts"

const Slice = Schema.Struct({
  years: Schema.Finite,
  /**
   * The log-moneyness of each quote, in ascending order. `ivs` contains the implied volatility of each quote, where
   * 1.00 is 100% a year.
   */
  k: Column,
  ivs: Column,
  weights: Column
})

export const SliceFit = Schema.Struct({
  svi: Schema.Struct({
    a: Schema.Finite,
    b: Schema.Finite,
    rho: Schema.Finite,
    m: Schema.Finite,
    sigma: Schema.Finite
  }),
  /** The root mean square error of the fitted volatilities, where 1.00 is 100 volatility points. */
  rmse: Schema.Finite,
  butterflyFree: Schema.Boolean
})

const Surface = Schema.Struct({
  /** The fit of each slice; null for a slice with fewer than five quotes. */
  fits: Schema.Array(Schema.NullOr(SliceFit)),
  /** Whether total variance never falls between slices; null for fewer than two slices. */
  calendarFree: Schema.NullOr(Schema.Boolean)
})

/** The permitted decrease of total variance between two adjacent slices. */
// At a volatility of 50% and a maturity of one month, 1e-5 is a hundredth of a volatility point.
const maxVarianceDecrease = 1e-5

/**
 * Returns whether total variance does not decrease from the near slice to the far slice. The check covers the range of
 * log-moneyness that both slices quote.
 */
const isCalendarFree = (
  nearSlice: { readonly svi: Svi; readonly k: Float64Array },
  farSlice: { readonly svi: Svi; readonly k: Float64Array }
): boolean => {
  const from = Math.max(nearSlice.k[0]!, farSlice.k[0]!)
  const to = Math.min(nearSlice.k.at(-1)!, farSlice.k.at(-1)!)
  if (!(from < to)) return true
  const { minGap } = sviCalendar([nearSlice.svi, farSlice.svi], from, to)
  return minGap === null || minGap >= -maxVarianceDecrease
}

export const fitSurfaceJob: Job<
  { readonly slices: ReadonlyArray<typeof Slice.Type> },
  typeof Surface.Type
> = {
  name: "fit volatility surface",
  input: Schema.Struct({ slices: Schema.Array(Slice) }),
  output: Surface,
  run: ({ slices }) => {
    const fits = slices.map((slice) => {
      const fit = sviFit(slice)
      return fit === null ? null : { svi: fit.parameters, rmse: fit.rmse, butterflyFree: fit.arbitrageFree }
    })
    const fitted = fits.flatMap((fit, i) => fit === null ? [] : [{ svi: fit.svi, k: slices[i]!.k }])
    return {
      fits,
      calendarFree: fitted.length < 2
        ? null
        : fitted.slice(1).every((far, i) => isCalendarFree(fitted[i]!, far))
    }
  }
}
