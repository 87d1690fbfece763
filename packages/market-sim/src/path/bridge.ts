/**
 * Brownian bridges: random paths without drift between two known points, with known or unknown extremes. A parameter
 * named `variance` is sigma^2 T, the variance of a path without known points. The position of a point is the fraction
 * of the variance before the point.
 *
 * Formulas:
 * - Maximum of a bridge: Karatzas & Shreve, "Brownian Motion and Stochastic Calculus", 4.3.40.
 * - Position of the extreme: Beskos, Papaspiliopoulos & Roberts, "Retrospective exact simulation of diffusion sample
 *   paths", Bernoulli 12 (2006), proposition 2.
 * - Distance between a path and its extreme: Williams' decomposition (a three-dimensional Bessel bridge).
 */

/**
 * Draws the minimum of a bridge from `a` to `b`, given that the minimum is above `floor`. `u` is a uniform random
 * number.
 */
export const drawBridgeMinimum = (a: number, b: number, variance: number, floor: number, u: number): number => {
  const lower = Math.min(a, b)
  if (!(variance > 0)) return lower
  const floorProbability = floor === -Infinity ? 0 : Math.exp(-2 * (a - floor) * (b - floor) / variance)
  const exponential = -Math.log(floorProbability + (1 - floorProbability) * u)
  const minimum = (a + b - Math.sqrt((a - b) * (a - b) + 2 * variance * exponential)) / 2
  return Math.min(lower, Math.max(floor, minimum))
}

/** Returns the probability that a Bessel bridge from `x` to 0 stays below `y`. `y` must be at least `x`. */
export const getBesselProbability = (y: number, x: number, variance: number): number => {
  if (!(variance > 0)) return 1
  // If y^2 is below a quarter of the variance, the series has not begun to converge, and the probability is under 1e-6.
  if (y * y < 0.25 * variance) return 0
  let sum = 1
  // The method of images gives `1 + sum e^{-2k^2y^2/S}(2 cosh w - 4ky/x sinh w)` with `w = 2kxy/S`.
  for (let k = 1; k <= 6; k++) {
    const w = 2 * k * x * y / variance
    const depth = 2 * k * k * y * y / variance
    if (depth - w > 40) break
    const rising = Math.exp(w - depth)
    const falling = Math.exp(-w - depth)
    const slope = w > 1e-4 ? 2 * k * y / x * (rising - falling) : 8 * k * k * y * y / variance * Math.exp(-depth)
    sum += rising + falling - slope
  }
  return Math.min(1, Math.max(0, sum))
}

/**
 * Draws the greatest distance between a bridge and its extreme, given that the distance is below `bound`. `distanceA`
 * and `distanceB` are the distances from the extreme at the start and at the end of the bridge. `before` and `after`
 * are the variances before and after the extreme.
 */
export const drawFarthestDistance = (
  distanceA: number,
  distanceB: number,
  before: number,
  after: number,
  bound: number,
  u: number
): number => {
  const minDistance = Math.max(distanceA, distanceB)
  const getProbabilityBelow = (y: number): number =>
    getBesselProbability(y, distanceA, before) * getBesselProbability(y, distanceB, after)
  const target = u * (bound === Infinity ? 1 : getProbabilityBelow(bound))
  // The equation is solved by regula falsi in the Illinois variant.
  let lowAt = minDistance
  let highAt = Math.min(bound, minDistance + 4 * Math.sqrt(before + after))
  let low = getProbabilityBelow(lowAt) - target
  let high = getProbabilityBelow(highAt) - target
  let distance = lowAt
  if (low < 0 && high > 0) {
    for (let i = 0; i < 12; i++) {
      distance = lowAt - low * (highAt - lowAt) / (high - low)
      const value = getProbabilityBelow(distance) - target
      if (Math.abs(value) < 1e-4) break
      if (value < 0) {
        lowAt = distance
        low = value
        high /= 2
      } else {
        highAt = distance
        high = value
        low /= 2
      }
    }
  } else if (high <= 0) distance = highAt
  return distance
}

/** Draws whether the point of a bridge that is farthest from the bridge's extreme is before the extreme. */
export const isFartherBefore = (
  distance: number,
  distanceA: number,
  distanceB: number,
  before: number,
  after: number,
  u: number
): boolean => {
  const step = 1e-3 * Math.sqrt(before + after)
  const getDensity = (x: number, variance: number): number => {
    const here = distance < x ? 0 : getBesselProbability(distance, x, variance)
    return here > 0 ? Math.max(0, getBesselProbability(distance + step, x, variance) - here) / here : 0
  }
  const first = getDensity(distanceA, before)
  const second = getDensity(distanceB, after)
  const acceptance = first + second > 0 ? first / (first + second) : distanceA >= distanceB ? 1 : 0
  return u < acceptance
}

/** Draws an inverse Gaussian number without numerical cancellation (Michael, Schucany & Haas, 1976). */
const drawInverseGaussian = (mean: number, shape: number, z: number, u: number): number => {
  const phi = mean * z * z / (2 * shape)
  const small = mean / (1 + phi + Math.sqrt(phi * phi + 2 * phi))
  return u * (mean + small) <= mean ? small : mean * mean / small
}

/**
 * Draws the position of a bridge's extreme, from 0 to 1. `z` is a standard normal number, and `u` and `v` are uniform
 * numbers.
 */
export const drawExtremePosition = (
  distanceA: number,
  distanceB: number,
  variance: number,
  z: number,
  u: number,
  v: number
): number => {
  const tolerance = 1e-9 * Math.sqrt(variance)
  if (!(distanceA > tolerance)) return 0
  if (!(distanceB > tolerance)) return 1
  const odds = v * (distanceA + distanceB) < distanceB
    ? drawInverseGaussian(distanceA / distanceB, distanceA * distanceA / variance, z, u)
    : 1 / drawInverseGaussian(distanceB / distanceA, distanceB * distanceB / variance, z, u)
  return odds === Infinity ? 1 : odds / (1 + odds)
}

/**
 * Returns the probability that a bridge does not reach a barrier. `distanceA` and `distanceB` are the distances between
 * the bridge's ends and the barrier.
 */
const getSurvivalProbability = (distanceA: number, distanceB: number, variance: number): number =>
  // If the exponent is at least 16, the probability of reaching the barrier is below 2e-7.
  variance > 0 && 2 * distanceA * distanceB < 16 * variance ? 1 - Math.exp(-2 * distanceA * distanceB / variance) : 1

/** A known point of a path, where `position` is the fraction of the path's variance before the point. */
export interface PathPoint {
  readonly position: number
  readonly value: number
}

/** The maximum number of proposals in rejection sampling. */
// If all proposals are rejected, the last proposal is reflected at the bounds of the corridor.
export const maxProposals = 6

/**
 * Draws a point of a path between the known prices `left` and `right`. The path stays within `corridor`. If `left` or
 * `right` equals a bound of `corridor`, the path touches the bound at that end. Proposal `i` uses three random-number
 * slots from `pointSlot + 3 * i` on, and the slot `acceptSlot + i`.
 */
export const drawCorridorPoint = (
  left: number,
  right: number,
  before: number,
  after: number,
  corridor: { readonly low: number; readonly high: number },
  draws: { readonly normal: (slot: number) => number; readonly firstDriverUniform: (slot: number) => number },
  pointSlot: number,
  acceptSlot: number
): number => {
  const { high, low } = corridor
  if (!(before > 0)) return left
  if (!(after > 0)) return right
  const mean = (left * after + right * before) / (before + after)
  const sd = Math.sqrt(before * after / (before + after))
  if (low === -Infinity && high === Infinity) return mean + draws.normal(pointSlot) * sd
  const touchesTop = left === high || right === high
  const touchesBottom = left === low || right === low
  const getSurvivalAboveLow = (x: number): number =>
    getSurvivalProbability(left - low, x - low, before) * getSurvivalProbability(x - low, right - low, after)
  const getSurvivalBelowHigh = (x: number): number =>
    getSurvivalProbability(high - left, high - x, before) * getSurvivalProbability(high - x, high - right, after)
  let x = mean
  for (let i = 0; i < maxProposals; i++) {
    const normalDeviation = draws.normal(pointSlot + 3 * i) * sd
    let acceptance: number
    if (touchesTop || touchesBottom) {
      // Next to an extreme, the path is a Bessel bridge: the length of a three-dimensional bridge.
      const n2 = draws.normal(pointSlot + 3 * i + 1) * sd
      const n3 = draws.normal(pointSlot + 3 * i + 2) * sd
      const isMeasuredFromTop = touchesTop && (!touchesBottom || high - mean < mean - low)
      const distance = isMeasuredFromTop ? high - mean - normalDeviation : mean - low + normalDeviation
      const length = Math.sqrt(distance * distance + n2 * n2 + n3 * n3)
      x = isMeasuredFromTop ? high - length : low + length
      if (x < low || x > high) continue
      // If the path touches both bounds, the acceptance is proportional to the distance from the bound that `distance`
      // is not measured from.
      if (touchesTop && touchesBottom) acceptance = (isMeasuredFromTop ? x - low : high - x) / (high - low)
      else acceptance = isMeasuredFromTop ? getSurvivalAboveLow(x) : getSurvivalBelowHigh(x)
    } else {
      x = mean + normalDeviation
      if (x < low || x > high) continue
      acceptance = getSurvivalBelowHigh(x) * getSurvivalAboveLow(x)
    }
    if (acceptance >= 1 || draws.firstDriverUniform(acceptSlot + i) < acceptance) return x
  }
  if (x > high) x = high - (x - high)
  if (x < low) x = low + (low - x)
  return x > high || x < low ? mean : x
}
