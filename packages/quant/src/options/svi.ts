import { finite, positive, positiveSeries, sameLength, type Series, wholeNumber } from "../check.ts"
import { leastSquares } from "./leastSquares.ts"

/** Gatheral's raw SVI: `w(k) = a + b (rho (k - m) + sqrt((k - m)^2 + sigma^2))`, k = ln(K / F), w total variance. */
export interface Svi {
  readonly a: number
  readonly b: number
  readonly rho: number
  readonly m: number
  readonly sigma: number
}

/** A fitted slice. */
export interface SviFit {
  readonly parameters: Svi
  /** Root mean square error in volatility, 1.00 = 100 points. */
  readonly rmse: number
  /** Least value of Durrleman's g on the checked range; below 0 there is butterfly arbitrage. */
  readonly minG: number
  readonly arbitrageFree: boolean
}

function checkSvi(where: string, { a, b, rho, m, sigma }: Svi): void {
  finite(where, "a", a)
  finite(where, "b", b)
  finite(where, "m", m)
  positive(where, "sigma", sigma)
  if (b < 0) throw new RangeError(`${where}: b must not be below 0, got ${b}`)
  if (!(Math.abs(rho) < 1)) throw new RangeError(`${where}: rho must lie inside -1 to 1, got ${rho}`)
  if (a + b * sigma * Math.sqrt(1 - rho * rho) < -1e-12) {
    throw new RangeError(`${where}: the least total variance a + b sigma sqrt(1 - rho^2) is negative`)
  }
}

const variance = ({ a, b, rho, m, sigma }: Svi, k: number): number =>
  a + b * (rho * (k - m) + Math.sqrt((k - m) * (k - m) + sigma * sigma))

/**
 * Total implied variance of a raw SVI slice.
 *
 * Formula: `w(k) = a + b (rho (k - m) + sqrt((k - m)^2 + sigma^2))`, k = ln(K / F). Unit: total variance, iv^2 T.
 * Source: J. Gatheral, A Parsimonious Arbitrage-free Implied Volatility Parameterization (2004).
 *
 * @throws RangeError when a parameter is out of bounds (b not below 0, |rho| below 1, sigma above 0, no negative variance) or k is not finite.
 * @example
 * import { sviVariance } from "@tapeline/quant"
 * sviVariance({ a: 0.04, b: 0.4, rho: -0.4, m: 0.05, sigma: 0.1 }, 0) // => 0.09272
 */
export function sviVariance(parameters: Svi, k: number): number {
  checkSvi("sviVariance", parameters)
  finite("sviVariance", "k", k)
  return variance(parameters, k)
}

function durrleman(parameters: Svi, k: number): number {
  const { b, rho, m, sigma } = parameters
  const w = variance(parameters, k)
  const root = Math.sqrt((k - m) * (k - m) + sigma * sigma)
  const slope = b * (rho + (k - m) / root)
  const bend = (b * sigma * sigma) / (root * root * root)
  return (1 - (k * slope) / (2 * w)) ** 2 - ((slope * slope) / 4) * (1 / w + 0.25) + bend / 2
}

/**
 * Durrleman's condition: g(k) of a slice, whose sign is that of the density of the price at expiry.
 *
 * Formula: `g = (1 - k w' / (2 w))^2 - (w'^2 / 4) (1 / w + 1 / 4) + w'' / 2`. Unit: none. Below 0: butterfly arbitrage.
 * Source: J. Gatheral and A. Jacquier, Arbitrage-free SVI Volatility Surfaces (2014), definition 2.2.
 *
 * @throws RangeError as {@link sviVariance}, or when the total variance at k is 0.
 * @example
 * import { sviG } from "@tapeline/quant"
 * // Axel Vogt's slice of that paper, which admits butterfly arbitrage.
 * sviG({ a: -0.041, b: 0.1331, rho: 0.306, m: 0.3586, sigma: 0.4153 }, 0.9) < 0 // => true
 */
export function sviG(parameters: Svi, k: number): number {
  checkSvi("sviG", parameters)
  finite("sviG", "k", k)
  if (!(variance(parameters, k) > 0)) {
    throw new RangeError(`sviG: the total variance at ${k} is 0, and g is not defined there`)
  }
  return durrleman(parameters, k)
}

/**
 * Butterfly check of a slice on a grid.
 *
 * Formula: the least {@link sviG} over `points` values of k in [from, to], and Lee's bound on the wings `b (1 + |rho|) <= 2`.
 * Unit: none.
 * Source: J. Gatheral and A. Jacquier (2014); R. Lee, The Moment Formula for Implied Volatility (2004).
 *
 * @throws RangeError as {@link sviVariance}, or when from is not below to.
 * @example
 * import { sviButterfly } from "@tapeline/quant"
 * sviButterfly({ a: 0.04, b: 0.1, rho: -0.3, m: 0, sigma: 0.2 }).arbitrageFree // => true
 * sviButterfly({ a: -0.041, b: 0.1331, rho: 0.306, m: 0.3586, sigma: 0.4153 }).arbitrageFree // => false
 */
export function sviButterfly(
  parameters: Svi,
  from = -1.5,
  to = 1.5,
  points = 301
): { readonly minG: number; readonly at: number; readonly arbitrageFree: boolean } {
  checkSvi("sviButterfly", parameters)
  checkRange("sviButterfly", from, to, points)
  let minG = Infinity
  let at = from
  for (let j = 0; j < points; j++) {
    const k = from + ((to - from) * j) / (points - 1)
    const g = variance(parameters, k) > 0 ? durrleman(parameters, k) : -Infinity
    if (g < minG) {
      minG = g
      at = k
    }
  }
  return { minG, at, arbitrageFree: minG >= 0 && parameters.b * (1 + Math.abs(parameters.rho)) <= 2 }
}

function checkRange(where: string, from: number, to: number, points: number): void {
  finite(where, "from", from)
  finite(where, "to", to)
  wholeNumber(where, "points", points, 2)
  if (!(from < to)) throw new RangeError(`${where}: from (${from}) must be below to (${to})`)
}

/**
 * Calendar check between slices: total variance must not fall with time at any k.
 *
 * Formula: the least `w(k, T_j + 1) - w(k, T_j)` over a grid of k. Slices in ascending order of expiry. Unit: total variance.
 * Source: J. Gatheral and A. Jacquier (2014), lemma 2.1.
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
  from = -1.5,
  to = 1.5,
  points = 301
): { readonly minGap: number | null; readonly arbitrageFree: boolean } {
  for (const slice of slices) checkSvi("sviCalendar", slice)
  checkRange("sviCalendar", from, to, points)
  if (slices.length < 2) return { minGap: null, arbitrageFree: true }
  let minGap = Infinity
  for (let s = 1; s < slices.length; s++) {
    for (let j = 0; j < points; j++) {
      const k = from + ((to - from) * j) / (points - 1)
      minGap = Math.min(minGap, variance(slices[s]!, k) - variance(slices[s - 1]!, k))
    }
  }
  return { minGap, arbitrageFree: minGap >= 0 }
}

/** Free parameters to SVI: least variance and b are positive, |rho| < 1, sigma > 0, whatever the search tries. */
function fromFree(free: Float64Array): Svi {
  const floor = Math.exp(free[0]!)
  const b = Math.exp(free[1]!)
  const rho = Math.tanh(free[2]!)
  const sigma = Math.exp(free[4]!)
  return { a: floor - b * sigma * Math.sqrt(1 - rho * rho), b, rho, m: free[3]!, sigma }
}

const CHECKED = 61
const STARTS: ReadonlyArray<readonly [rho: number, width: number]> = [[0, 0.5], [-0.5, 0.25], [0.5, 0.25], [0, 0.08]]

/**
 * Fits a raw SVI slice to quoted volatilities.
 *
 * Method: least squares in volatility (Levenberg and Marquardt from several starts) over parameters that keep variance
 * positive; where the best fit admits butterfly arbitrage, a penalty on negative {@link sviG} and on Lee's bound is raised
 * until it does not. `k` are log-moneynesses ln(K / F), in any order; `weights` (1 each) may be vegas or inverse spreads.
 * Units: ivs 1.00 = 100 % a year. Null for fewer than 5 quotes: the slice would be undetermined.
 * Source: J. Gatheral and A. Jacquier (2014); S. De Marco and C. Martini, Quasi-Explicit Calibration of Gatheral's SVI (2009).
 *
 * @throws RangeError when lengths differ, years is not above 0, an iv or a weight is not above 0, or a k is not finite.
 * @example
 * import { sviFit, sviVariance } from "@tapeline/quant"
 * const truth = { a: 0.02, b: 0.1, rho: -0.4, m: 0.02, sigma: 0.15 }
 * const k = [-0.4, -0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]
 * const fit = sviFit({ k, ivs: k.map((x) => Math.sqrt(sviVariance(truth, x) / 0.25)), years: 0.25 })
 * fit.arbitrageFree // => true
 * fit.rmse < 1e-4 // => true
 */
export function sviFit(quotes: {
  readonly k: Series
  readonly ivs: Series
  readonly years: number
  readonly weights?: Series | undefined
}): SviFit | null {
  const { k, ivs, years, weights } = quotes
  sameLength("sviFit", "k and ivs", k.length, ivs)
  positive("sviFit", "years", years)
  positiveSeries("sviFit", "ivs", ivs)
  for (let i = 0; i < k.length; i++) finite("sviFit", `k[${i}]`, k[i]!)
  if (weights !== undefined) {
    sameLength("sviFit", "k and weights", k.length, weights)
    positiveSeries("sviFit", "weights", weights)
  }
  const n = k.length
  if (n < 5) return null
  let low = Infinity
  let high = -Infinity
  let cheapest = 0
  let total = 0
  for (let i = 0; i < n; i++) {
    low = Math.min(low, k[i]!)
    high = Math.max(high, k[i]!)
    if (ivs[i]! < ivs[cheapest]!) cheapest = i
    total += weights?.[i] ?? 1
  }
  const span = Math.max(high - low, 1e-3)
  // Butterflies are checked somewhat beyond the quotes, where the slice will be read too.
  const from = low - 0.5 * span
  const to = high + 0.5 * span
  const residuals = (penalty: number) => (free: Float64Array, out: Float64Array): void => {
    const svi = fromFree(free)
    for (let i = 0; i < n; i++) {
      const weight = Math.sqrt((weights?.[i] ?? 1) / total)
      out[i] = weight * (Math.sqrt(Math.max(0, variance(svi, k[i]!)) / years) - ivs[i]!)
    }
    // A faint pull towards moderate parameters decides what the quotes leave open (a straight line, say).
    out[n] = 1e-7 * (free[4]! - Math.log(span))
    out[n + 1] = penalty * Math.max(0, svi.b * (1 + Math.abs(svi.rho)) - 1.99)
    for (let j = 0; j < CHECKED; j++) {
      const g = penalty === 0 ? 0 : durrleman(svi, from + ((to - from) * j) / (CHECKED - 1))
      out[n + 2 + j] = penalty * Math.max(0, 0.002 - g)
    }
  }
  const count = n + 2 + CHECKED
  const atMoney = ivs[cheapest]! ** 2 * years
  let best = new Float64Array(5)
  let least = Infinity
  for (const [rho, width] of STARTS) {
    const free = Float64Array.of(
      Math.log(atMoney * 0.9),
      Math.log(Math.max(1e-4, atMoney / span)),
      Math.atanh(rho),
      k[cheapest]!,
      Math.log(width * span)
    )
    const sum = leastSquares(residuals(0), free, count, 200)
    if (sum < least) {
      least = sum
      best = free
    }
  }
  let parameters = fromFree(best)
  let check = sviButterfly(parameters, from, to)
  for (let penalty = 0.1; !check.arbitrageFree && penalty < 1e4; penalty *= 10) {
    leastSquares(residuals(penalty), best, count, 200)
    parameters = fromFree(best)
    check = sviButterfly(parameters, from, to)
  }
  let square = 0
  for (let i = 0; i < n; i++) square += (Math.sqrt(Math.max(0, variance(parameters, k[i]!)) / years) - ivs[i]!) ** 2
  return { parameters, rmse: Math.sqrt(square / n), minG: check.minG, arbitrageFree: check.arbitrageFree }
}
