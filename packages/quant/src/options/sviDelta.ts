import { checkFinite } from "../check.ts"
import { normalInverse } from "../normal.ts"
import { getOptionSign, type OptionType } from "./black.ts"
import { type Svi, sviVariance } from "./svi.ts"
import { totalVariance } from "./sviFormula.ts"

/** The width of an interval at which the bisection stops. */
const PRECISION = 1e-12

/**
 * Log-moneyness of a delta on an SVI slice: the k whose own volatility gives the delta.
 *
 * Formula: the undiscounted call delta is `N(d1)`, `d1 = -k / sqrt(w(k)) + sqrt(w(k)) / 2`. A put with delta -d
 * corresponds to the call with delta 1 - d. Bisection between `from` and `to` solves the equation for k. Without
 * butterfly arbitrage, d1 falls as k rises, so there is at most one solution. Unit: ln(K / F). Returns null if the
 * solution is outside the range from `from` to `to`.
 * Source: Fukasawa, The Normalizing Transformation of the Implied Volatility Smile (2012).
 *
 * @throws RangeError as {@link sviVariance}, or when the size of delta is not inside (0, 1) or from is above to.
 * @example
 * import { sviAtDelta, sviVariance } from "@tapeline/quant"
 * const slice = { a: 0.02, b: 0.1, rho: -0.4, m: 0.02, sigma: 0.15 }
 * const call = sviAtDelta(slice, 0.25, "call", -1, 1) ?? NaN
 * call // => 0.1425
 * Math.sqrt(sviVariance(slice, call) / 0.25) // => 0.3713
 * sviAtDelta(slice, 0.25, "call", -0.1, 0.1) // => null
 */
export function sviAtDelta(
  parameters: Svi,
  delta: number,
  type: OptionType,
  from: number,
  to: number
): number | null {
  const sign = getOptionSign("sviAtDelta", type)
  const size = Math.abs(delta)
  if (!(size > 0 && size < 1) || (sign === 1 && delta < 0)) {
    throw new RangeError(
      `sviAtDelta: delta of a ${type} must lie inside ${sign === 1 ? "0 to 1" : "-1 to 0 (or 0 to 1)"}, got ${delta}`
    )
  }
  checkFinite("sviAtDelta", "from", from)
  checkFinite("sviAtDelta", "to", to)
  if (from > to) throw new RangeError(`sviAtDelta: from (${from}) must not be above to (${to})`)
  // The parameters are checked by `sviVariance`.
  sviVariance(parameters, from)
  const targetQuantile = normalInverse(sign === 1 ? size : 1 - size)
  // Returns a positive value for a `k` below the solution, and a negative value for a `k` above the solution.
  const getExcess = (k: number): number => {
    const deviation = Math.sqrt(Math.max(0, totalVariance(parameters, k)))
    return 0.5 * deviation * deviation - k - targetQuantile * deviation
  }
  // Because of rounding, a strike that is quoted at the target delta can seem outside the range.
  if (getExcess(from) < -PRECISION || getExcess(to) > PRECISION) return null
  let [low, high] = [from, to]
  while (high - low > PRECISION) {
    const middle = 0.5 * (low + high)
    if (getExcess(middle) > 0) low = middle
    else high = middle
  }
  return 0.5 * (low + high)
}
