import {
  checkFiniteSeries,
  checkInteger,
  checkPositiveSeries,
  checkSameLength,
  getWarmUpLength,
  type Series
} from "../check.ts"
import { getRefreshInterval, rejectIfNotFinite, VARIANCE_REFRESH_SHARE } from "../indicators/averages.ts"

/**
 * Logarithmic returns of a price series.
 *
 * Formula: `out[i] = ln(p[i + 1] / p[i])`. The result has one value fewer than `prices`. Unit: 1.00 = growth by a
 * factor of e.
 * Source: definition of a log return.
 *
 * @throws RangeError when a price is not finite and above 0.
 * @example
 * import { logReturns } from "@tapeline/quant"
 * logReturns([100, 110, 99]) // => [0.09531, -0.10536]
 */
export function logReturns(prices: Series): Float64Array {
  checkPositiveSeries("logReturns", "prices", prices)
  const out = new Float64Array(Math.max(0, prices.length - 1))
  for (let i = 0; i < out.length; i++) out[i] = Math.log(prices[i + 1]! / prices[i]!)
  return out
}

/**
 * Simple returns of a price series.
 *
 * Formula: `out[i] = p[i + 1] / p[i] - 1`. The result has one value fewer than `prices`. Unit: 0.01 = 1 %.
 * Source: definition of a simple return.
 *
 * @throws RangeError when a price is not finite and above 0.
 * @example
 * import { simpleReturns } from "@tapeline/quant"
 * simpleReturns([100, 110, 99]) // => [0.1, -0.1]
 */
export function simpleReturns(prices: Series): Float64Array {
  checkPositiveSeries("simpleReturns", "prices", prices)
  const out = new Float64Array(Math.max(0, prices.length - 1))
  for (let i = 0; i < out.length; i++) out[i] = prices[i + 1]! / prices[i]! - 1
  return out
}

interface Moments {
  readonly xx: number
  readonly yy: number
  readonly xy: number
}

function computeMoments(where: string, x: Series, y: Series): Moments {
  checkSameLength(where, "x and y", x.length, y)
  checkFiniteSeries(where, "x", x)
  checkFiniteSeries(where, "y", y)
  let meanX = 0
  let meanY = 0
  let xx = 0
  let yy = 0
  let xy = 0
  for (let i = 0; i < x.length; i++) {
    const dx = x[i]! - meanX
    const dy = y[i]! - meanY
    meanX += dx / (i + 1)
    meanY += dy / (i + 1)
    xx += dx * (x[i]! - meanX)
    yy += dy * (y[i]! - meanY)
    xy += dx * (y[i]! - meanY)
  }
  return { xx, yy, xy }
}

/**
 * Pearson's correlation of two samples (of returns, not of prices).
 *
 * Formula: `cov(x, y) / (sd(x) sd(y))`. Unit: a number from -1 to 1. Returns null if there are fewer than 2 pairs, or
 * if all values of one sample are equal.
 * Source: Karl Pearson (1895).
 *
 * @throws RangeError when lengths differ or a value is not finite.
 * @example
 * import { correlation } from "@tapeline/quant"
 * correlation([1, 2, 3, 4], [2, 4, 6, 9]) // => 0.9944
 */
export function correlation(x: Series, y: Series): number | null {
  const { xx, yy, xy } = computeMoments("correlation", x, y)
  if (x.length < 2 || xx === 0 || yy === 0) return null
  return Math.max(-1, Math.min(1, xy / (Math.sqrt(xx) * Math.sqrt(yy))))
}

/**
 * Correlation matrix of several samples.
 *
 * Formula: {@link correlation} of each pair, with 1 on the diagonal and null where the correlation is undefined. Unit:
 * a number from -1 to 1.
 * Source: definition of a correlation matrix.
 *
 * @throws RangeError when lengths differ or a value is not finite.
 * @example
 * import { correlationMatrix } from "@tapeline/quant"
 * correlationMatrix([[1, 2, 3], [3, 2, 1]]) // => [[1, -1], [-1, 1]]
 */
export function correlationMatrix(samples: ReadonlyArray<Series>): ReadonlyArray<ReadonlyArray<number | null>> {
  const matrix: Array<Array<number | null>> = samples.map(() => samples.map(() => null))
  for (let i = 0; i < samples.length; i++) {
    for (let j = i; j < samples.length; j++) {
      const value = correlation(samples[i]!, samples[j]!)
      matrix[i]![j] = matrix[j]![i] = i === j && value !== null ? 1 : value
    }
  }
  return matrix
}

/**
 * Beta of an asset's returns relative to the returns of a benchmark.
 *
 * Formula: `cov(asset, benchmark) / var(benchmark)`, the slope of the least-squares line. Unit: none. Returns null if
 * there are fewer than 2 pairs, or if all returns of the benchmark are equal.
 * Source: Sharpe (1964).
 *
 * @throws RangeError when lengths differ or a value is not finite.
 * @example
 * import { beta } from "@tapeline/quant"
 * beta([0.02, -0.04, 0.06], [0.01, -0.02, 0.03]) // => 2
 */
export function beta(asset: Series, benchmark: Series): number | null {
  const { yy, xy } = computeMoments("beta", asset, benchmark)
  return asset.length < 2 || yy === 0 ? null : xy / yy
}

/**
 * Z-score of one value against a sample.
 *
 * Formula: `(value - mean) / sd`, with the sample standard deviation (divisor n - 1). Unit: standard deviations.
 * Returns null if there are fewer than 2 values in the sample, or if all values are equal.
 * Source: definition of a z-score.
 *
 * @throws RangeError when a value is not finite.
 * @example
 * import { zScore } from "@tapeline/quant"
 * zScore(5, [1, 2, 3]) // => 3
 */
export function zScore(value: number, sample: Series): number | null {
  if (!Number.isFinite(value)) throw new RangeError(`zScore: value must be a finite number, got ${value}`)
  checkFiniteSeries("zScore", "sample", sample)
  if (sample.length < 2) return null
  let varies = false
  let mean = 0
  let square = 0
  for (let i = 0; i < sample.length; i++) {
    if (sample[i] !== sample[0]) varies = true
    const deviationBefore = sample[i]! - mean
    mean += deviationBefore / (i + 1)
    square += deviationBefore * (sample[i]! - mean)
  }
  // Without this check, rounding could give a sample of equal values a tiny deviation, and so a huge score.
  return varies && square > 0 ? (value - mean) / Math.sqrt(square / (sample.length - 1)) : null
}

/**
 * Rolling z-score of each value against the previous n values.
 *
 * Formula: `(x[i] - mean) / sd` over `x[i - n .. i - 1]`, with the sample standard deviation. Unit: standard
 * deviations. The first n results are NaN. The result is 0 if all values of the window are equal. If the input begins
 * with m NaNs, such as the warm-up of another indicator, the first result comes m bars later.
 * Source: definition of a z-score. Welford's method updates the variance, which is computed again every max(n, 128)
 * bars to limit rounding errors.
 *
 * @throws RangeError when n is not a whole number of at least 2, or a later value is not finite.
 * @example
 * import { zScores } from "@tapeline/quant"
 * zScores([1, 2, 3, 5], 3) // => [NaN, NaN, NaN, 3]
 */
export function zScores(x: Series, n: number): Float64Array {
  checkInteger("zScores", "n", n, 2)
  const from = getWarmUpLength("zScores", "x", x)
  rejectIfNotFinite("zScores", x, from)
  const first = from + n
  const out = new Float64Array(x.length).fill(NaN, 0, Math.min(first, x.length))
  const step = getRefreshInterval(n)
  let flatSince = from
  for (let i = from + 1; i < Math.min(first, x.length); i++) if (x[i] !== x[i - 1]) flatSince = i
  let start = first
  while (start < x.length) {
    let mean = 0
    let square = 0
    for (let i = start - n; i < start; i++) mean += x[i]! / n
    for (let i = start - n; i < start; i++) square += (x[i]! - mean) * (x[i]! - mean)
    let floor = square * VARIANCE_REFRESH_SHARE
    let end = Math.min(start + step, x.length)
    for (let i = start; i < end; i++) {
      if (i > start) {
        const value = x[i - 1]!
        const old = x[i - 1 - n]!
        const previousMean = mean
        mean += (value - old) / n
        square += (value - old) * (value - mean + (old - previousMean))
        if (square < floor) {
          end = i
          break
        }
        if (square * VARIANCE_REFRESH_SHARE > floor) floor = square * VARIANCE_REFRESH_SHARE
      }
      const flat = i - flatSince >= n
      out[i] = flat || !(square > 0) ? 0 : (x[i]! - mean) / Math.sqrt(square / (n - 1))
      if (x[i] !== x[i - 1]) flatSince = i
    }
    start = end
  }
  return out
}
