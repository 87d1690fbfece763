import { checkFinite, checkFiniteSeries, checkInteger, checkNotNegative, type Series } from "../check.ts"
import { normalCdf, normalInverse } from "../normal.ts"
import { getMeanAndSquares } from "./metrics.ts"

const EULER_MASCHERONI = 0.5772156649015329

/** The shape of a sample of returns, per period. */
export interface ReturnShape {
  readonly n: number
  readonly mean: number
  readonly sd: number
  readonly skewness: number
  /** The kurtosis, which is 3 for a normal distribution. */
  readonly kurtosis: number
}

/**
 * Mean, sample standard deviation, skewness and kurtosis of returns.
 *
 * Formula: `sd` with the divisor n - 1; skewness `m3 / m2^1.5` and kurtosis `m4 / m2^2` from the moments about the
 * mean. Unit: none. Returns null if there are fewer than 2 returns, or if all returns are equal.
 * Source: definition. The moments are biased, as in scipy.stats.
 *
 * @throws RangeError when a return is not finite.
 * @example
 * import { returnShape } from "@tapeline/quant"
 * returnShape([1, 2, 3, 4, 10]) // => { n: 5, mean: 4, sd: 3.5355, skewness: 1.1384, kurtosis: 2.788 }
 */
export function returnShape(returns: Series): ReturnShape | null {
  checkFiniteSeries("returnShape", "returns", returns)
  const n = returns.length
  const { mean, square } = getMeanAndSquares(returns)
  if (n < 2 || !(square > 0)) return null
  let cube = 0
  let fourth = 0
  for (let i = 0; i < n; i++) {
    const d = returns[i]! - mean
    cube += d * d * d
    fourth += d * d * d * d
  }
  const m2 = square / n
  return { n, mean, sd: Math.sqrt(square / (n - 1)), skewness: cube / n / m2 ** 1.5, kurtosis: fourth / n / (m2 * m2) }
}

/**
 * Probability that the true Sharpe ratio is above a benchmark.
 *
 * Formula: `N((SR - SR0) sqrt(n - 1) / sqrt(1 - skew SR + (kurtosis - 1) / 4 SR^2))`, with both ratios per period (not
 * annualised). Unit: a number from 0 to 1. Returns null if there are fewer than 2 returns, if all returns are equal, or
 * if the term under the second square root is not above 0.
 * Source: Bailey and Lopez de Prado, The Sharpe Ratio Efficient Frontier (2012).
 *
 * @throws RangeError when a number is not finite.
 * @example
 * import { probabilisticSharpe } from "@tapeline/quant"
 * probabilisticSharpe([0.01, 0.02, -0.01, 0.03, 0.005, -0.004], 0) // => 0.9052
 */
export function probabilisticSharpe(returns: Series, benchmark: number): number | null {
  checkFinite("probabilisticSharpe", "benchmark", benchmark)
  const shape = returnShape(returns)
  if (shape === null) return null
  const ratio = shape.mean / shape.sd
  const variance = 1 - shape.skewness * ratio + ((shape.kurtosis - 1) / 4) * ratio * ratio
  return variance > 0 ? normalCdf(((ratio - benchmark) * Math.sqrt(shape.n - 1)) / Math.sqrt(variance)) : null
}

/**
 * Expected Sharpe ratio of the best of several strategies without skill.
 *
 * Formula: `sqrt(V) ((1 - g) Ninv(1 - 1 / N) + g Ninv(1 - 1 / (N e)))`, where V is the variance of the Sharpe ratios of
 * the trials, N the number of trials, and g the Euler-Mascheroni constant. Unit: the unit of a Sharpe ratio per period.
 * The result is 0 if there was only one trial.
 * Source: Bailey and Lopez de Prado, The Deflated Sharpe Ratio (2014).
 *
 * @throws RangeError when trials is not a whole number of at least 1, or variance is negative or not finite.
 * @example
 * import { expectedBestSharpe } from "@tapeline/quant"
 * expectedBestSharpe(100, 0.5 / 250) // => 0.1132
 */
export function expectedBestSharpe(trials: number, variance: number): number {
  checkInteger("expectedBestSharpe", "trials", trials, 1)
  checkNotNegative("expectedBestSharpe", "variance", variance)
  if (trials === 1) return 0
  const best = (1 - EULER_MASCHERONI) * normalInverse(1 - 1 / trials) +
    EULER_MASCHERONI * normalInverse(1 - 1 / (trials * Math.E))
  return Math.sqrt(variance) * best
}

/**
 * Deflated Sharpe ratio: the probability that a strategy's true Sharpe ratio is above the ratio that the best of N
 * trials without skill would reach by luck.
 *
 * Formula: {@link probabilisticSharpe} against {@link expectedBestSharpe}. `trialSharpes` contains the Sharpe ratios of
 * all trials including the chosen strategy, per period (not annualised). Unit: a number from 0 to 1. A value above 0.95
 * counts as evidence of skill. Returns null in the cases of {@link probabilisticSharpe}, and without trials.
 * Source: Bailey and Lopez de Prado, The Deflated Sharpe Ratio (2014).
 *
 * @throws RangeError when a number is not finite.
 * @example
 * import { deflatedSharpe } from "@tapeline/quant"
 * deflatedSharpe([0.01, 0.02, -0.01, 0.03, 0.005, -0.004], [0.5, 0.1, -0.2]) // => 0.7336
 */
export function deflatedSharpe(returns: Series, trialSharpes: Series): number | null {
  checkFiniteSeries("deflatedSharpe", "trialSharpes", trialSharpes)
  const n = trialSharpes.length
  if (n === 0) return null
  const variance = n === 1 ? 0 : getMeanAndSquares(trialSharpes).square / (n - 1)
  return probabilisticSharpe(returns, expectedBestSharpe(n, variance))
}
