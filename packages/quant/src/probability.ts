import { checkInteger, checkNotNegative, checkPositive, checkSameLength, checkWithin, type Series } from "./check.ts"
import { normalCdf, normalInverse } from "./normal.ts"

export { erfc, erfcx, normalCdf, normalInverse, normalPdf } from "./normal.ts"
export { benjaminiHochberg, studentTwoSided } from "./significance.ts"

/**
 * Probability that a drift-free log-normal price ends above a level.
 *
 * Formula: `N(ln(S / K) / v)`, with v = sigma sqrt(T). The log return has mean 0, so a rise has the probability 0.5.
 * Unit: a number from 0 to 1. If v is 0, the result is 1 for a spot above the level, 0 for a spot below the level, and
 * 0.5 for a spot on the level.
 * Source: definition of the log-normal distribution.
 *
 * @throws RangeError when spot or level is not above 0, or sigmaT is negative or not finite.
 * @example
 * import { probabilityAbove } from "@tapeline/quant"
 * probabilityAbove(100, 105, 0.05) // => 0.16458
 */
export function probabilityAbove(spot: number, level: number, sigmaT: number): number {
  const log = logDistance("probabilityAbove", spot, level, sigmaT)
  if (sigmaT === 0) return log === 0 ? 0.5 : log > 0 ? 1 : 0
  return normalCdf(log / sigmaT)
}

/**
 * Probability that a drift-free log-normal price touches a level before the horizon.
 *
 * Formula: `2 N(-|ln(B / S)| / v)`, by the reflection principle, with v = sigma sqrt(T). Unit: a number from 0 to 1.
 * The result is 1 if the spot is on the level, and 0 if v is 0 and the spot is not on the level. The formula assumes
 * continuous observation; sparse prices show fewer touches.
 * Source: Karatzas and Shreve, Brownian Motion and Stochastic Calculus, 2.6.
 *
 * @throws RangeError as {@link probabilityAbove}.
 * @example
 * import { probabilityTouch } from "@tapeline/quant"
 * probabilityTouch(100, 105, 0.05) // => 0.3291619573562803
 */
export function probabilityTouch(spot: number, level: number, sigmaT: number): number {
  const distance = Math.abs(logDistance("probabilityTouch", spot, level, sigmaT))
  if (distance === 0) return 1
  return sigmaT === 0 ? 0 : 2 * normalCdf(-distance / sigmaT)
}

function logDistance(where: string, spot: number, level: number, sigmaT: number): number {
  checkPositive(where, "spot", spot)
  checkPositive(where, "level", level)
  checkNotNegative(where, "sigmaT", sigmaT)
  return Math.log(spot / level)
}

/** The result of {@link binaryEv}. */
export interface BinaryEv {
  /** The expected profit per unit staked. */
  readonly ev: number
  /** The win probability at which the expected profit is 0. */
  readonly breakEven: number
  /** The win probability minus `breakEven`. */
  readonly edge: number
  /** The Kelly fraction of the capital; 0 without an edge. */
  readonly kelly: number
}

/**
 * Expected value of a binary bet.
 *
 * Formula: per unit staked `ev = p payout - (1 - p)`, break-even `1 / (1 + payout)`, edge = p - break-even, Kelly =
 * edge / (1 - break-even), floored at 0. Unit: payout 0.8 = 80 % of the stake on a win.
 * Source: Kelly, A New Interpretation of Information Rate (1956).
 *
 * @throws RangeError when p is outside [0, 1] or payout is not above 0.
 * @example
 * import { binaryEv } from "@tapeline/quant"
 * binaryEv(0.6, 0.8) // => { ev: 0.08, breakEven: 0.5555555556, edge: 0.0444444444, kelly: 0.1 }
 */
export function binaryEv(p: number, payout: number): BinaryEv {
  checkWithin("binaryEv", "p", p, 0, 1)
  checkPositive("binaryEv", "payout", payout)
  const breakEven = 1 / (1 + payout)
  const edge = p - breakEven
  return { ev: p * payout - (1 - p), breakEven, edge, kelly: Math.max(0, edge / (1 - breakEven)) }
}

/**
 * Wilson's score interval of a proportion.
 *
 * Formula: `(p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)`, with p = k / n and the normal
 * quantile z (1.96 for 95 %). Unit: a number from 0 to 1. For n = 0 the interval is [0, 1].
 * Source: Wilson (1927); Newcombe, Two-sided Confidence Intervals for the Single Proportion (1998), method 3.
 *
 * @throws RangeError when k or n is not a whole number of at least 0, k is above n, or confidence is not inside (0, 1).
 * @example
 * import { wilson } from "@tapeline/quant"
 * wilson(81, 263) // => [0.2553, 0.3662]
 */
export function wilson(k: number, n: number, confidence = 0.95): [low: number, high: number] {
  checkInteger("wilson", "k", k, 0)
  checkInteger("wilson", "n", n, 0)
  if (k > n) throw new RangeError(`wilson: k (${k}) must not be above n (${n})`)
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`wilson: confidence must lie inside 0 to 1, got ${confidence}`)
  }
  if (n === 0) return [0, 1]
  const z = normalInverse(0.5 + confidence / 2)
  const p = k / n
  const square = (z * z) / n
  const middle = p + square / 2
  const half = z * Math.sqrt((p * (1 - p)) / n + square / (4 * n))
  return [
    k === 0 ? 0 : Math.max(0, (middle - half) / (1 + square)),
    k === n ? 1 : Math.min(1, (middle + half) / (1 + square))
  ]
}

/** A measured proportion with its confidence interval. */
export interface HitRate {
  readonly rate: number
  readonly n: number
  readonly low: number
  readonly high: number
}

/**
 * Hit rate with its 95 % Wilson interval, or null if the sample is too small.
 *
 * Formula: `k / n` and {@link wilson}. Unit: a number from 0 to 1. Returns null for fewer than `minSamples` samples (20
 * by default).
 * Source: {@link wilson}.
 *
 * @throws RangeError as {@link wilson}.
 * @example
 * import { hitRate } from "@tapeline/quant"
 * hitRate(12, 20) // => { rate: 0.6, n: 20, low: 0.3866, high: 0.7812 }
 * hitRate(12, 19) // => null
 */
export function hitRate(k: number, n: number, minSamples = 20): HitRate | null {
  const [low, high] = wilson(k, n)
  return n < minSamples || n === 0 ? null : { rate: k / n, n, low, high }
}

/**
 * Brier score of probability forecasts.
 *
 * Formula: `mean((p - y)^2)`, with outcomes y of 0 or 1. Unit: 0 (perfect) to 1. Returns null without forecasts.
 * Source: Brier, Verification of Forecasts Expressed in Terms of Probability (1950).
 *
 * @throws RangeError when lengths differ, a y is neither 0 nor 1, or a p is outside [0, 1].
 * @example
 * import { brier } from "@tapeline/quant"
 * brier([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]) // => 0.0375
 */
export function brier(y: Series, p: Series): number | null {
  checkSameLength("brier", "y and p", y.length, p)
  let sum = 0
  for (let i = 0; i < y.length; i++) {
    if (y[i] !== 0 && y[i] !== 1) throw new RangeError(`brier: y[${i}] must be 0 or 1, got ${y[i]}`)
    checkWithin("brier", `p[${i}]`, p[i]!, 0, 1)
    sum += (p[i]! - y[i]!) ** 2
  }
  return y.length === 0 ? null : sum / y.length
}

/**
 * Volatility over a horizon, from an annualised volatility.
 *
 * Formula: `sigma * sqrt(minutes / (365 * 24 * 60))`. Unit: sigma 1.00 = 100 % per year; the result is the `sigmaT` of
 * {@link probabilityAbove}.
 * Source: square-root-of-time rule.
 *
 * @throws RangeError when sigma or minutes is negative or not finite.
 * @example
 * import { sigmaOver } from "@tapeline/quant"
 * sigmaOver(0.6, 1440) // => 0.0314
 */
export function sigmaOver(sigma: number, minutes: number): number {
  checkNotNegative("sigmaOver", "sigma", sigma)
  checkNotNegative("sigmaOver", "minutes", minutes)
  return sigma * Math.sqrt(minutes / (365 * 24 * 60))
}

/** The volatility over a horizon above which the mean of a log-normal price overflows. */
const MAX_SIGMA = 37

/**
 * Expected move over a horizon: the mean absolute move of a drift-free price.
 *
 * Formula: `100 E|S_T / S - 1| = 100 exp(v^2 / 2) erf(v / sqrt(2))`, with v = sigma sqrt(T). The log return is normal
 * with mean 0, as in {@link probabilityAbove}. The expected move refers to the price instead of its logarithm, so rises
 * are larger than falls. Unit: percent of spot. For a small v, the result is the mean absolute log return
 * `100 v sqrt(2 / pi)`.
 * Source: partial expectations of the log-normal distribution; Aitchison and Brown, The Lognormal Distribution (1957),
 * 2.4.
 *
 * @throws RangeError when sigmaT is negative or above 37 (3700 %).
 * @example
 * import { expectedMovePct } from "@tapeline/quant"
 * expectedMovePct(0.05) // => 3.992749
 * expectedMovePct(1) // => 112.556469
 */
export function expectedMovePct(sigmaT: number): number {
  checkWithin("expectedMovePct", "sigmaT", sigmaT, 0, MAX_SIGMA)
  return 100 * Math.exp(0.5 * sigmaT * sigmaT) * centralProbability(sigmaT)
}

/** Returns `erf(v / sqrt(2))`, by a series for a small v, where subtracting the tails from 1 would lose precision. */
function centralProbability(v: number): number {
  if (v > 0.5) return 1 - 2 * normalCdf(-v)
  const square = v * v
  let term = v
  let sum = v
  for (let j = 1; Math.abs(term) > Number.EPSILON * 1e-2 * sum; j++) {
    term *= -square / (2 * j)
    sum += term / (2 * j + 1)
  }
  return sum * Math.sqrt(2 / Math.PI)
}
