/** Statistical functions that share no code with the tested functions. */

export const computeMean = (x: ReadonlyArray<number>): number => x.reduce((sum, value) => sum + value, 0) / x.length

export const computeVariance = (x: ReadonlyArray<number>): number => {
  const m = computeMean(x)
  return x.reduce((sum, value) => sum + (value - m) ** 2, 0) / x.length
}

export const computeExcessKurtosis = (x: ReadonlyArray<number>): number => {
  const m = computeMean(x)
  return x.reduce((sum, value) => sum + (value - m) ** 4, 0) / x.length / computeVariance(x) ** 2 - 3
}

export const computeCorrelation = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): number => {
  const mx = computeMean(x)
  const my = computeMean(y)
  let xy = 0
  let xx = 0
  let yy = 0
  for (let i = 0; i < x.length; i++) {
    xy += (x[i]! - mx) * (y[i]! - my)
    xx += (x[i]! - mx) ** 2
    yy += (y[i]! - my) ** 2
  }
  return xy / Math.sqrt(xx * yy)
}

/** Returns the correlation of `x` with the value of `y` that is `lag` steps later. */
export const computeLaggedCorrelation = (x: ReadonlyArray<number>, y: ReadonlyArray<number>, lag: number): number =>
  computeCorrelation(x.slice(0, x.length - lag), y.slice(lag))

export const computeAutocorrelation = (x: ReadonlyArray<number>, lag: number): number =>
  computeLaggedCorrelation(x, x, lag)

export const computeLogReturns = (
  candles: ReadonlyArray<{ readonly open: number; readonly close: number }>
): Array<number> => candles.map(({ open, close }) => Math.log(close / open))

/** Returns the largest distance between a sample's distribution and a given distribution (Kolmogorov-Smirnov). */
export const computeDistributionDistance = (
  sample: ReadonlyArray<number>,
  distribution: (x: number) => number
): number => {
  const sorted = [...sample].sort((a, b) => a - b)
  return sorted.reduce((worst, x, i) => {
    const p = distribution(x)
    return Math.max(worst, Math.abs(p - i / sorted.length), Math.abs(p - (i + 1) / sorted.length))
  }, 0)
}

/** Returns the rank of each value, scaled to -1/2 to 1/2, so that no single value dominates. */
const computeRanks = (x: ReadonlyArray<number>): ReadonlyArray<number> => {
  const ranks = x.map(() => 0)
  const order = x.map((_, i) => i).sort((a, b) => x[a]! - x[b]!)
  order.forEach((i, rank) => {
    ranks[i] = rank / x.length - 0.5
  })
  return ranks
}

/** Returns the absolute rank correlation of `observed` with `after`, divided by its standard error. */
export const computeRankSurprise = (observed: ReadonlyArray<number>, after: ReadonlyArray<number>): number =>
  Math.abs(computeCorrelation(computeRanks(observed), computeRanks(after))) * Math.sqrt(observed.length)

/**
 * Returns the absolute rank correlation of `observed` with `after`, divided by its standard error. The part of
 * `observed` that `known` explains is removed before the correlation.
 */
export const computePartialSurprise = (
  observed: ReadonlyArray<number>,
  known: ReadonlyArray<number>,
  after: ReadonlyArray<number>
): number => {
  const [x, y] = [computeRanks(observed), computeRanks(known)]
  const slope = computeCorrelation(x, y)
  const residuals = x.map((value, i) => value - slope * y[i]!)
  return Math.abs(computeCorrelation(residuals, computeRanks(after))) * Math.sqrt(observed.length)
}
