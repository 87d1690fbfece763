import {
  checkFiniteSeries,
  checkInteger,
  checkPositive,
  checkPositiveSeries,
  checkWithin,
  type Series
} from "../check.ts"

/**
 * Quantile of a sample, interpolated linearly between order statistics.
 *
 * Formula: position `q * (n - 1)` in the sorted sample (Hyndman and Fan's type 7, the default of R and NumPy). Unit:
 * the unit of x. Returns null for an empty sample.
 * Source: Hyndman and Fan, Sample Quantiles in Statistical Packages (1996).
 *
 * @throws RangeError when q is outside [0, 1] or a value is not finite.
 * @example
 * import { quantile } from "@tapeline/quant"
 * quantile([3, 1, 2, 4], 0.5) // => 2.5
 */
export function quantile(x: Series, q: number): number | null {
  checkWithin("quantile", "q", q, 0, 1)
  checkFiniteSeries("quantile", "x", x)
  return x.length === 0 ? null : getSortedQuantile(Float64Array.from(x).sort(), q)
}

export function getSortedQuantile(sorted: Float64Array, q: number): number {
  const position = q * (sorted.length - 1)
  const low = Math.floor(position)
  const below = sorted[low]!
  return below + (sorted[Math.min(low + 1, sorted.length - 1)]! - below) * (position - low)
}

/**
 * Returns the sample standard deviation of each window in O(n), with periodic recomputation to limit rounding errors.
 */
function slidingDeviation(x: Float64Array, window: number): Float64Array {
  const out = new Float64Array(x.length - window + 1)
  let mean = 0
  let square = 0
  // The number of newest values that are equal, because the deviation of equal values must be exactly 0.
  let equal = 1
  for (let i = 1; i < window - 1; i++) equal = x[i] === x[i - 1] ? equal + 1 : 1
  for (let start = 0; start < out.length; start++) {
    const last = start + window - 1
    equal = x[last] === x[last - 1] ? equal + 1 : 1
    if (start % window === 0) {
      mean = 0
      for (let i = start; i <= last; i++) mean += x[i]!
      mean /= window
      square = 0
      for (let i = start; i <= last; i++) square += (x[i]! - mean) ** 2
    } else {
      const removed = x[start - 1]!
      const change = x[last]! - removed
      const previousMean = mean
      mean += change / window
      square += change * (x[last]! - mean + removed - previousMean)
    }
    out[start] = equal >= window ? 0 : Math.sqrt(Math.max(0, square) / (window - 1))
  }
  return out
}

/** The current volatility for one window length, and the distribution of earlier volatilities for the same length. */
export interface ConePoint {
  /** The length of the window, in periods. */
  readonly window: number
  readonly min: number
  readonly p25: number
  readonly median: number
  readonly p75: number
  readonly max: number
  /** The volatility of the window that ends at the last price. */
  readonly current: number
  /** The percentage of windows with a volatility strictly below the current volatility. */
  readonly percentile: number
  readonly n: number
}

/**
 * Volatility cone: the distribution of realised volatility over sliding windows of several lengths.
 *
 * Formula: for each window of w returns, the close-to-close volatility of {@link realisedVolatility}. Quartiles are
 * taken over all windows of one length. Unit: 1.00 = 100 % per year. Windows overlap, so the spread of long windows is
 * understated. A window length with fewer than 2 windows is omitted.
 * Source: Burghardt and Lane, How to Tell if Options Are Cheap (1990).
 *
 * @throws RangeError when a price is not finite and above 0, periodsPerYear is not above 0, or a window is not a whole
 * number of at least 2.
 * @example
 * import { volatilityCone } from "@tapeline/quant"
 * const prices = Array.from({ length: 60 }, (_, i) => 100 + 3 * Math.sin(i * i))
 * volatilityCone(prices, [7, 30], 365).map((point) => [point.window, point.n]) // => [[7, 53], [30, 30]]
 */
export function volatilityCone(
  prices: Series,
  windows: ReadonlyArray<number>,
  periodsPerYear: number
): ReadonlyArray<ConePoint> {
  checkPositive("volatilityCone", "periodsPerYear", periodsPerYear)
  checkPositiveSeries("volatilityCone", "prices", prices)
  const returns = new Float64Array(Math.max(0, prices.length - 1))
  for (let i = 0; i < returns.length; i++) returns[i] = Math.log(prices[i + 1]! / prices[i]!)
  const cone: Array<ConePoint> = []
  for (const window of windows) {
    checkInteger("volatilityCone", "window", window, 2)
    const n = returns.length - window + 1
    if (n < 2) continue
    const values = slidingDeviation(returns, window)
    for (let i = 0; i < n; i++) values[i]! *= Math.sqrt(periodsPerYear)
    const current = values[n - 1]!
    values.sort()
    let below = 0
    while (below < n && values[below]! < current) below++
    cone.push({
      window,
      min: values[0]!,
      p25: getSortedQuantile(values, 0.25),
      median: getSortedQuantile(values, 0.5),
      p75: getSortedQuantile(values, 0.75),
      max: values[n - 1]!,
      current,
      percentile: (100 * below) / n,
      n
    })
  }
  return cone
}
