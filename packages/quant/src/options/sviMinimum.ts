import { durrleman, type Svi, totalVariance } from "./sviFormula.ts"

const minProduct = (a: number, b: number, c: number, d: number): number => Math.min(a * c, a * d, b * c, b * d)
const maxProduct = (a: number, b: number, c: number, d: number): number => Math.max(a * c, a * d, b * c, b * d)

/** Bounds of Durrleman's g, of its slope, and of its terms on an interval of log-moneyness. */
interface Enclosure {
  minG: number
  minSlope: number
  maxSlope: number
  terms: number
}

/**
 * The bounds of g and its slope on the interval that was computed last. All calls reuse one object, because a search
 * checks thousands of intervals.
 */
const enclosure: Enclosure = { minG: 0, minSlope: 0, maxSlope: 0, terms: 0 }

/** The maximum of x / (1 + x^2)^(5/2), at x = 1/2. The minimum, at x = -1/2, is the negative of the maximum. */
const EXTREME_TWIST = 0.5 / 1.25 ** 2.5

/**
 * Computes bounds of Durrleman's g and of its slope on an interval of log-moneyness, by interval arithmetic. With
 * `u = k w' / (2 w)` and `u' = (w' / w + k (w'' / w - (w' / w)^2)) / 2`, the slope is
 * `g' = -2 (1 - u) u' - (w' w'' / 2) (1 / w + 1 / 4) + w'^3 / (4 w^2) + w''' / 2`. Total variance w is a convex
 * function of log-moneyness, so its slope w' increases.
 */
function computeEnclosure({ a, b, m, rho, sigma }: Svi, low: number, high: number): Enclosure {
  const x = (low - m) / sigma
  const y = (high - m) / sigma
  const rootX = Math.sqrt(1 + x * x)
  const rootY = Math.sqrt(1 + y * y)
  const atLow = a + b * sigma * (rho * x + rootX)
  const atHigh = a + b * sigma * (rho * y + rootY)
  const across = Math.sqrt(1 - rho * rho)
  const vertex = -rho / across
  const w0 = x < vertex && vertex < y ? a + b * sigma * across : Math.min(atLow, atHigh)
  const w1 = Math.max(atLow, atHigh)
  const slope0 = b * (rho + x / rootX)
  const slope1 = b * (rho + y / rootY)
  const relative0 = slope0 / (slope0 < 0 ? w0 : w1)
  const relative1 = slope1 / (slope1 < 0 ? w1 : w0)
  const squares1 = Math.max(relative0 * relative0, relative1 * relative1)
  const squares0 = relative0 <= 0 && relative1 >= 0 ? 0 : Math.min(relative0 * relative0, relative1 * relative1)
  const far = Math.max(rootX, rootY)
  const near = x < 0 && y > 0 ? 1 : Math.min(rootX, rootY)
  const bend0 = b / (sigma * far * far * far)
  const bend1 = b / (sigma * near * near * near)
  const change0 = bend0 / w1 - squares1
  const change1 = bend1 / w0 - squares0
  const uSlope0 = 0.5 * (relative0 + minProduct(low, high, change0, change1))
  const uSlope1 = 0.5 * (relative1 + maxProduct(low, high, change0, change1))
  let u0 = 0.5 * minProduct(low, high, relative0, relative1)
  let u1 = 0.5 * maxProduct(low, high, relative0, relative1)
  if (uSlope0 >= 0 || uSlope1 <= 0) {
    // The function u is monotonic on the interval, so the extremes of u are at the ends.
    const uLow = (0.5 * low * slope0) / atLow
    const uHigh = (0.5 * high * slope1) / atHigh
    u0 = Math.min(uLow, uHigh)
    u1 = Math.max(uLow, uHigh)
  }
  const quarter0 = 1 / w1 + 0.25
  const quarter1 = 1 / w0 + 0.25
  const steepest = Math.max(slope0 * slope0, slope1 * slope1)
  const nearest = u0 <= 1 && u1 >= 1 ? 0 : Math.min((1 - u0) * (1 - u0), (1 - u1) * (1 - u1))
  enclosure.minG = nearest - 0.25 * steepest * quarter1 + 0.5 * bend0
  const largest = 1 + Math.max(-u0, u1)
  enclosure.terms = largest * largest + 0.25 * steepest * quarter1 + 0.5 * bend1

  const twistX = x / (rootX * rootX * rootX * rootX * rootX)
  const twistY = y / (rootY * rootY * rootY * rootY * rootY)
  const twist0 = x < -0.5 && y > -0.5 ? -EXTREME_TWIST : Math.min(twistX, twistY)
  const twist1 = x < 0.5 && y > 0.5 ? EXTREME_TWIST : Math.max(twistX, twistY)
  const twisting = (1.5 * b) / (sigma * sigma)
  enclosure.minSlope = -2 * maxProduct(1 - u1, 1 - u0, uSlope0, uSlope1) -
    0.5 * (slope1 > 0 ? slope1 * bend1 * quarter1 : slope1 * bend0 * quarter0) +
    0.25 * (slope0 > 0 ? slope0 * squares0 : slope0 * squares1) - twisting * twist1
  enclosure.maxSlope = -2 * minProduct(1 - u1, 1 - u0, uSlope0, uSlope1) -
    0.5 * (slope0 < 0 ? slope0 * bend1 * quarter1 : slope0 * bend0 * quarter0) +
    0.25 * (slope1 < 0 ? slope1 * squares0 : slope1 * squares1) - twisting * twist0
  return enclosure
}

/** Two values of g count as equal if they differ by less than this share of the terms that add up to g. */
const ROUNDING = 1e-13
/** The maximum number of intervals that the search examines. */
const MAX_INTERVALS = 20_000

/** Returns Durrleman's g, or minus infinity where the variance is not above 0. */
export const evaluateG = (svi: Svi, k: number): number => totalVariance(svi, k) > 0 ? durrleman(svi, k) : -Infinity

/**
 * Returns the minimum of Durrleman's g between the first and the last of the given log-moneynesses, and the
 * log-moneyness of the minimum.
 *
 * Method: branch and bound. The values of g at the ends of an interval and the bounds of its slope give a lower bound
 * of g. An interval is divided if its lower bound is below the smallest value found so far.
 * Source: Hansen, Jaumard and Lu, Global Optimization of Univariate Lipschitz Functions (1992); Moore, Interval
 * Analysis (1966), for the bounds of the slope.
 */
export function findMinG(
  svi: Svi,
  places: ReadonlyArray<number>
): { readonly value: number; readonly k: number } {
  let value = Infinity
  let k = places[0]!
  const evaluate = (x: number): number => {
    const y = evaluateG(svi, x)
    if (y < value) {
      value = y
      k = x
    }
    return y
  }
  const values = places.map(evaluate)
  /**
   * The intervals that the search must still check. Four entries describe an interval: its two ends, and g at the two
   * ends.
   */
  const pending: Array<number> = []
  for (let j = 1; j < places.length; j++) pending.push(places[j - 1]!, places[j]!, values[j - 1]!, values[j]!)
  for (let examined = 0; examined < MAX_INTERVALS && pending.length > 0; examined++) {
    if (value === -Infinity) break
    const atHigh = pending.pop()!
    const atLow = pending.pop()!
    const high = pending.pop()!
    const low = pending.pop()!
    const { minSlope, minG, maxSlope, terms } = computeEnclosure(svi, low, high)
    const threshold = value - ROUNDING * terms
    // Skips an interval on which g cannot be below the threshold, or on which g is monotonic and so has its minimum at
    // an end.
    if (minG >= threshold || minSlope >= 0 || maxSlope <= 0) continue
    const bound = (maxSlope * atLow - minSlope * atHigh + maxSlope * minSlope * (high - low)) / (maxSlope - minSlope)
    if (bound >= threshold) continue
    const middle = 0.5 * (low + high)
    if (middle <= low || middle >= high) continue
    const atMiddle = evaluate(middle)
    pending.push(low, middle, atLow, atMiddle, middle, high, atMiddle, atHigh)
  }
  return { value, k }
}
