import { checkFinite, checkPositive } from "../check.ts"
import { durrleman, type Svi, totalVariance } from "./sviFormula.ts"
import { evaluateG, findMinG } from "./sviMinimum.ts"

export type { Svi }

function checkSvi(where: string, { a, b, rho, m, sigma }: Svi): void {
  checkFinite(where, "a", a)
  checkFinite(where, "b", b)
  checkFinite(where, "m", m)
  checkPositive(where, "sigma", sigma)
  if (b < 0) throw new RangeError(`${where}: b must not be below 0, got ${b}`)
  if (!(Math.abs(rho) < 1)) throw new RangeError(`${where}: rho must lie inside -1 to 1, got ${rho}`)
  if (a + b * sigma * Math.sqrt(1 - rho * rho) < -1e-12) {
    throw new RangeError(`${where}: the least total variance a + b sigma sqrt(1 - rho^2) is negative`)
  }
}

/**
 * Total implied variance of a raw SVI slice.
 *
 * Formula: `w(k) = a + b (rho (k - m) + sqrt((k - m)^2 + sigma^2))`, k = ln(K / F). Unit: total variance, iv^2 T.
 * Source: Gatheral, A Parsimonious Arbitrage-free Implied Volatility Parameterization (2004).
 *
 * @throws RangeError when a parameter is out of bounds (b not below 0, |rho| below 1, sigma above 0, no negative
 * variance) or k is not finite.
 * @example
 * import { sviVariance } from "@tapeline/quant"
 * sviVariance({ a: 0.04, b: 0.4, rho: -0.4, m: 0.05, sigma: 0.1 }, 0) // => 0.09272
 */
export function sviVariance(parameters: Svi, k: number): number {
  checkSvi("sviVariance", parameters)
  checkFinite("sviVariance", "k", k)
  return totalVariance(parameters, k)
}

/**
 * Durrleman's function g(k) of an SVI slice. Durrleman's g and the price density at expiry have the same sign.
 *
 * Formula: `g = (1 - k w' / (2 w))^2 - (w'^2 / 4) (1 / w + 1 / 4) + w'' / 2`. Unit: none. A value below 0 means
 * butterfly arbitrage.
 * Source: Gatheral and Jacquier, Arbitrage-free SVI Volatility Surfaces (2014), definition 2.2.
 *
 * @throws RangeError as {@link sviVariance}, or when the total variance at k is 0.
 * @example
 * import { sviG } from "@tapeline/quant"
 * // Axel Vogt's slice of that paper, which admits butterfly arbitrage.
 * sviG({ a: -0.041, b: 0.1331, rho: 0.306, m: 0.3586, sigma: 0.4153 }, 0.9) < 0 // => true
 */
export function sviG(parameters: Svi, k: number): number {
  checkSvi("sviG", parameters)
  checkFinite("sviG", "k", k)
  if (!(totalVariance(parameters, k) > 0)) {
    throw new RangeError(`sviG: the total variance at ${k} is 0, and g is not defined there`)
  }
  return durrleman(parameters, k)
}

/** Returns the slopes of total variance on the far left and on the far right, each at least 0. */
const getWingSlopes = ({ b, rho }: Svi): readonly [left: number, right: number] => [b * (1 - rho), b * (1 + rho)]

function checkRange(where: string, from: number, to: number): void {
  if (!(from < to)) throw new RangeError(`${where}: from (${from}) must be below to (${to})`)
}

/** The number of steps of {@link makeLadder} on each side of the centre, which together span a million scales. */
const LADDER_STEPS = 58
const LADDER_REACH = Math.asinh(1e6)

/**
 * Returns log-moneynesses on both sides of a centre. Near the centre, the steps are equal, in units of `scale`; far
 * from the centre, the distances grow by a constant ratio.
 */
const makeLadder = (centre: number, scale: number): ReadonlyArray<number> =>
  Array.from(
    { length: 2 * LADDER_STEPS + 1 },
    (_, j) => centre + scale * Math.sinh((LADDER_REACH * (j - LADDER_STEPS)) / LADDER_STEPS)
  )

/** Returns log-moneynesses around the bends of a slice: the minimum of the variance, the centre m, and the money. */
function getCriticalPoints(svi: Svi, from: number, to: number): ReadonlyArray<number> {
  const { a, b, rho, m, sigma } = svi
  const rhoComplement = Math.sqrt(1 - rho * rho)
  const minVariance = Math.max(0, a + b * sigma * rhoComplement)
  // The distance from the minimum at which total variance doubles.
  const vertexWidth = b > 0 ? Math.sqrt((2 * minVariance * sigma) / (b * rhoComplement ** 3)) : sigma
  const points = [
    ...makeLadder(m - (rho * sigma) / rhoComplement, Math.max(1e-6 * sigma, Math.min(sigma, vertexWidth))),
    ...makeLadder(m, sigma),
    ...makeLadder(0, Math.max(1e-3, Math.abs(m)))
  ]
  if (from > -Infinity) points.push(from)
  if (to < Infinity) points.push(to)
  return points.filter((k) => k >= from && k <= to).sort((x, y) => x - y)
}

const GOLDEN = (Math.sqrt(5) - 1) / 2

/**
 * Finds the minimum of f by golden-section search in each dip between neighbouring points, after merging equal points.
 */
function findMinimum(
  f: (k: number) => number,
  places: ReadonlyArray<number>
): { readonly value: number; readonly k: number } {
  const distinctPlaces = places.filter((k, j) => j === 0 || k - places[j - 1]! > 1e-12 * (1 + Math.abs(k)))
  const values = distinctPlaces.map(f)
  let value = Infinity
  let k = distinctPlaces[0]!
  const consider = (x: number, y: number): void => {
    if (y < value) {
      value = y
      k = x
    }
  }
  for (let j = 0; j < distinctPlaces.length; j++) {
    consider(distinctPlaces[j]!, values[j]!)
    const [before, after] = [Math.max(0, j - 1), Math.min(j + 1, distinctPlaces.length - 1)]
    if (values[j]! > values[before]! || values[j]! > values[after]!) continue
    let low = distinctPlaces[before]!
    let high = distinctPlaces[after]!
    for (let step = 0; step < 25 && high - low > 1e-6 * (1 + Math.abs(low)); step++) {
      const left = high - GOLDEN * (high - low)
      const right = low + GOLDEN * (high - low)
      const [atLeft, atRight] = [f(left), f(right)]
      consider(left, atLeft)
      consider(right, atRight)
      if (atLeft < atRight) high = right
      else low = left
    }
  }
  return { value, k }
}

/** The result of {@link sviButterfly}. */
export interface ButterflyCheck {
  /** The minimum of Durrleman's g, which is below 0 if there is butterfly arbitrage. */
  readonly minG: number
  /**
   * The log-moneyness at which g has its minimum. The log-moneyness is infinite if g approaches its minimum in a wing.
   */
  readonly at: number
  readonly arbitrageFree: boolean
}

/**
 * Checks an SVI slice for butterfly arbitrage. By default, the check covers all strikes; `from` and `to` limit the
 * log-moneyness.
 *
 * Method: the minimum of {@link sviG} within a million widths of the slice, up to rounding, by branch and bound with
 * enclosures of the slope of g. Beyond a million widths, the check uses the limits `1 / 4 - s^2 / 16` of g at both
 * wings, where s is the slope `b (1 +- rho)`. The limits express Lee's bound `s <= 2`. The slice is free of butterfly
 * arbitrage if neither g nor one of these limits is below 0. Unit: none.
 * Source: Gatheral and Jacquier (2014), lemma 2.2; Lee, The Moment Formula for Implied Volatility (2004).
 *
 * @throws RangeError as {@link sviVariance}, or when from is not below to.
 * @example
 * import { sviButterfly } from "@tapeline/quant"
 * sviButterfly({ a: 0.04, b: 0.1, rho: -0.3, m: 0, sigma: 0.2 }).arbitrageFree // => true
 * sviButterfly({ a: -0.041, b: 0.1331, rho: 0.306, m: 0.3586, sigma: 0.4153 }).arbitrageFree // => false
 */
export function sviButterfly(parameters: Svi, from = -Infinity, to = Infinity): ButterflyCheck {
  checkSvi("sviButterfly", parameters)
  checkRange("sviButterfly", from, to)
  const points = getCriticalPoints(parameters, from, to)
  // A flat minimum needs more intervals than `findMinG` has, so the search starts from the bottom of the lowest dip.
  const lowest = findMinimum((k) => evaluateG(parameters, k), points).k
  let { value: minG, k: at } = findMinG(parameters, [...points, lowest].sort((x, y) => x - y))
  const [left, right] = getWingSlopes(parameters)
  for (const [slope, end, inside] of [[left, -Infinity, from], [right, Infinity, to]] as const) {
    const limit = 0.25 - (slope * slope) / 16
    // Durrleman's g of a flat wing approaches 1 instead of `limit`.
    if (inside !== end || slope === 0 || limit >= minG) continue
    minG = limit
    at = end
  }
  return { minG, at, arbitrageFree: minG >= 0 }
}

/**
 * Checks SVI slices for calendar arbitrage. By default, the check covers all strikes; `from` and `to` limit the
 * log-moneyness. Total variance must not fall with the expiry at any log-moneyness k.
 *
 * Formula: the minimum of `w(k, T_(j+1)) - w(k, T_j)` over the points of {@link sviButterfly} for the two slices. Over
 * all strikes, the slopes of the wings must also be in order. `slices` must be in ascending order of expiry. Unit:
 * total variance.
 * Source: Gatheral and Jacquier (2014), lemma 2.1.
 *
 * @throws RangeError as {@link sviButterfly}.
 * @example
 * import { sviCalendar } from "@tapeline/quant"
 * const near = { a: 0.01, b: 0.1, rho: -0.3, m: 0, sigma: 0.2 }
 * sviCalendar([near, { ...near, a: 0.02 }]) // => { minGap: 0.01, arbitrageFree: true }
 * sviCalendar([{ ...near, a: 0.02 }, near]).arbitrageFree // => false
 */
export function sviCalendar(
  slices: ReadonlyArray<Svi>,
  from = -Infinity,
  to = Infinity
): { readonly minGap: number | null; readonly arbitrageFree: boolean } {
  for (const slice of slices) checkSvi("sviCalendar", slice)
  checkRange("sviCalendar", from, to)
  if (slices.length < 2) return { minGap: null, arbitrageFree: true }
  let minGap = Infinity
  let areWingsOrdered = true
  for (let s = 1; s < slices.length; s++) {
    const [near, far] = [slices[s - 1]!, slices[s]!]
    const points = [...getCriticalPoints(near, from, to), ...getCriticalPoints(far, from, to)].sort((x, y) => x - y)
    minGap = Math.min(minGap, findMinimum((k) => totalVariance(far, k) - totalVariance(near, k), points).value)
    // The slopes of equal wings may differ by rounding.
    if (from === -Infinity && getWingSlopes(far)[0] < getWingSlopes(near)[0] * (1 - 1e-12)) areWingsOrdered = false
    if (to === Infinity && getWingSlopes(far)[1] < getWingSlopes(near)[1] * (1 - 1e-12)) areWingsOrdered = false
  }
  return { minGap, arbitrageFree: minGap >= 0 && areWingsOrdered }
}
