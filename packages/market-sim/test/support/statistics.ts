/** Plain sample statistics, written out so that tests do not depend on the code under test. */

export const mean = (x: ReadonlyArray<number>): number => x.reduce((sum, value) => sum + value, 0) / x.length

export const variance = (x: ReadonlyArray<number>): number => {
  const m = mean(x)
  return x.reduce((sum, value) => sum + (value - m) ** 2, 0) / x.length
}

export const excessKurtosis = (x: ReadonlyArray<number>): number => {
  const m = mean(x)
  return x.reduce((sum, value) => sum + (value - m) ** 4, 0) / x.length / variance(x) ** 2 - 3
}

export const correlation = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): number => {
  const mx = mean(x)
  const my = mean(y)
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

/** Correlation of `x` now with `y` `lag` steps later. */
export const lagged = (x: ReadonlyArray<number>, y: ReadonlyArray<number>, lag: number): number =>
  correlation(x.slice(0, x.length - lag), y.slice(lag))

export const autocorrelation = (x: ReadonlyArray<number>, lag: number): number => lagged(x, x, lag)

export const logReturns = (candles: ReadonlyArray<{ readonly open: number; readonly close: number }>): Array<number> =>
  candles.map(({ open, close }) => Math.log(close / open))

/** Largest distance between a sample's distribution and a given one (Kolmogorov-Smirnov). */
export const distributionDistance = (sample: ReadonlyArray<number>, distribution: (x: number) => number): number => {
  const sorted = [...sample].sort((a, b) => a - b)
  return sorted.reduce((worst, x, i) => {
    const p = distribution(x)
    return Math.max(worst, Math.abs(p - i / sorted.length), Math.abs(p - (i + 1) / sorted.length))
  }, 0)
}

/** Ranks of a sample, from -1/2 to 1/2. A monotone rule does not change them, and no single value dominates. */
const ranked = (x: ReadonlyArray<number>): ReadonlyArray<number> => {
  const ranks = x.map(() => 0)
  const order = x.map((_, i) => i).sort((a, b) => x[a]! - x[b]!)
  order.forEach((i, rank) => {
    ranks[i] = rank / x.length - 0.5
  })
  return ranks
}

/** The absolute rank correlation of `seen` with `after`, in standard errors. */
export const rankSurprise = (seen: ReadonlyArray<number>, after: ReadonlyArray<number>): number =>
  Math.abs(correlation(ranked(seen), ranked(after))) * Math.sqrt(seen.length)

/**
 * The absolute rank correlation of `seen` with `after`, without the part of `seen` that `known` explains, in standard
 * errors.
 */
export const partialSurprise = (
  seen: ReadonlyArray<number>,
  known: ReadonlyArray<number>,
  after: ReadonlyArray<number>
): number => {
  const [x, y] = [ranked(seen), ranked(known)]
  const slope = correlation(x, y)
  const own = x.map((value, i) => value - slope * y[i]!)
  return Math.abs(correlation(own, ranked(after))) * Math.sqrt(seen.length)
}
