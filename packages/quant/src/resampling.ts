import { checkFiniteSeries, checkInteger, checkWithin, type Series } from "./check.ts"
import { drawBelow, type Random } from "./random.ts"
import { getSortedQuantile } from "./volatility/cone.ts"

/**
 * Draws the indices of one stationary block bootstrap of a sample.
 *
 * Method: each block of consecutive indices begins at a random index and ends with probability 1 / meanBlock after each
 * index. After the last index of the sample, a block continues at index 0. Block lengths are geometric, and the
 * resampled series is stationary. Unit: indices 0 to n - 1.
 * Source: Politis and Romano, The Stationary Bootstrap (1994).
 *
 * @throws RangeError when n or meanBlock is not at least 1.
 * @example
 * import { seededRandom, stationaryBootstrap } from "@tapeline/quant"
 * const drawn = stationaryBootstrap(5, 2, seededRandom(1))
 * drawn.length // => 5
 * drawn.every((i) => i >= 0 && i < 5) // => true
 */
export function stationaryBootstrap(n: number, meanBlock: number, random: Random, length = n): Int32Array {
  checkInteger("stationaryBootstrap", "n", n, 1)
  checkInteger("stationaryBootstrap", "length", length, 0)
  checkWithin("stationaryBootstrap", "meanBlock", meanBlock, 1, Number.MAX_VALUE)
  const out = new Int32Array(length)
  for (let i = 0; i < length;) {
    let index = drawBelow(n, random)
    for (const end = Math.min(length, i + drawBlockLength(meanBlock, random)); i < end; i++) {
      out[i] = index
      if (++index === n) index = 0
    }
  }
  return out
}

/** Draws a geometric block length with the mean `meanBlock`, which can exceed the length of the series. */
const drawBlockLength = (meanBlock: number, random: Random): number =>
  meanBlock > 1 ? 1 + Math.floor(Math.log(1 - random()) / Math.log1p(-1 / meanBlock)) : 1

/** The percentiles of a simulated quantity. */
export interface Percentiles {
  readonly p5: number
  readonly p25: number
  readonly p50: number
  readonly p75: number
  readonly p95: number
}

/** The result of {@link monteCarlo}. */
export interface MonteCarlo {
  /** The total returns of the paths; 0.1 = 10 %. */
  readonly totalReturn: Percentiles
  /** The maximum drawdowns of the paths, as negative fractions. */
  readonly drawdown: Percentiles
  /** The share of the paths whose maximum drawdown reached the limit `ruin`. */
  readonly ruinProbability: number
  readonly lossProbability: number
  readonly meanBlock: number
  readonly paths: number
  readonly method: string
}

/**
 * Resampled paths of a return series. The paths show how much of the result depended on the order of the returns.
 *
 * Method: each path is a {@link stationaryBootstrap} of the returns, compounded from an equity of 1. Percentiles are
 * taken over all `paths` paths. `meanBlock` defaults to the cube root of the sample size, at least 1. `ruin` is a
 * drawdown (-0.5 = half the equity lost). Unit: fractions. Returns null without returns.
 * Source: Politis and Romano (1994).
 *
 * @throws RangeError when a return is not finite or below -1, paths is not at least 1, or ruin is outside [-1, 0].
 * @example
 * import { monteCarlo, seededRandom } from "@tapeline/quant"
 * const result = monteCarlo([0.01, 0.01, 0.01], { paths: 100, random: seededRandom(1) })
 * result.totalReturn.p50 // => 0.030301
 * result.ruinProbability // => 0
 */
export function monteCarlo(
  returns: Series,
  options: {
    readonly paths: number
    readonly random: Random
    readonly meanBlock?: number | undefined
    readonly ruin?: number | undefined
  }
): MonteCarlo | null {
  const { paths, random, ruin = -0.5 } = options
  checkInteger("monteCarlo", "paths", paths, 1)
  checkWithin("monteCarlo", "ruin", ruin, -1, 0)
  checkFiniteSeries("monteCarlo", "returns", returns)
  for (let i = 0; i < returns.length; i++) checkWithin("monteCarlo", `returns[${i}]`, returns[i]!, -1, Infinity)
  const n = returns.length
  if (n === 0) return null
  const meanBlock = options.meanBlock ?? Math.max(1, Math.round(Math.cbrt(n)))
  checkWithin("monteCarlo", "meanBlock", meanBlock, 1, Number.MAX_VALUE)
  const totals = new Float64Array(paths)
  const drawdowns = new Float64Array(paths)
  const growth = Float64Array.from({ length: n }, (_, i) => 1 + returns[i]!)
  let ruinedPaths = 0
  let losingPaths = 0
  for (let path = 0; path < paths; path++) {
    let equity = 1
    let peak = 1
    let minEquityRatio = 1
    for (let remaining = n; remaining > 0;) {
      let index = drawBelow(n, random)
      const block = Math.min(remaining, drawBlockLength(meanBlock, random))
      remaining -= block
      for (let i = 0; i < block; i++) {
        equity *= growth[index]!
        if (++index === n) index = 0
        if (equity > peak) peak = equity
        else if (equity < minEquityRatio * peak) minEquityRatio = equity / peak
      }
    }
    totals[path] = equity - 1
    drawdowns[path] = minEquityRatio - 1
    if (minEquityRatio - 1 <= ruin && minEquityRatio < 1) ruinedPaths++
    if (equity < 1) losingPaths++
  }
  return {
    totalReturn: percentiles(totals),
    drawdown: percentiles(drawdowns),
    ruinProbability: ruinedPaths / paths,
    lossProbability: losingPaths / paths,
    meanBlock,
    paths,
    method: `stationary block bootstrap, mean block ${meanBlock}`
  }
}

function percentiles(sample: Float64Array): Percentiles {
  sample.sort()
  return {
    p5: getSortedQuantile(sample, 0.05),
    p25: getSortedQuantile(sample, 0.25),
    p50: getSortedQuantile(sample, 0.5),
    p75: getSortedQuantile(sample, 0.75),
    p95: getSortedQuantile(sample, 0.95)
  }
}

/** The bars from `from` up to, but not including, `to`. */
export interface BarRange {
  readonly from: number
  readonly to: number
}

/**
 * Splits bars into walk-forward folds. Parameters are chosen on a train window and evaluated on the test window that
 * follows.
 *
 * Method: the bars are split into an initial train window and `folds` consecutive test windows of equal length. If the
 * bars do not divide evenly, the last test window contains the additional bars. A rolling train window has a fixed
 * length. An anchored train window always begins at bar 0. The `gap` bars between train and test are not used.
 * `trainShare` (0.5 by default) is the share of bars in the initial train window. Unit: bar indices.
 * Source: Pardo, The Evaluation and Optimization of Trading Strategies (2008); Lopez de Prado, Advances in Financial
 * Machine Learning (2018), for the gap.
 *
 * @throws RangeError when bars or folds is not at least 1, trainShare is not inside (0, 1), gap is negative, or a
 * window would be empty.
 * @example
 * import { walkForward } from "@tapeline/quant"
 * const [first, second] = walkForward(100, 2)
 * first // => { train: { from: 0, to: 50 }, test: { from: 50, to: 75 } }
 * second // => { train: { from: 25, to: 75 }, test: { from: 75, to: 100 } }
 */
export function walkForward(
  bars: number,
  folds: number,
  options: {
    readonly trainShare?: number | undefined
    readonly anchored?: boolean | undefined
    readonly gap?: number | undefined
  } = {}
): ReadonlyArray<{ readonly train: BarRange; readonly test: BarRange }> {
  const { trainShare = 0.5, anchored = false, gap = 0 } = options
  checkInteger("walkForward", "bars", bars, 1)
  checkInteger("walkForward", "folds", folds, 1)
  checkInteger("walkForward", "gap", gap, 0)
  if (!(trainShare > 0 && trainShare < 1)) {
    throw new RangeError(`walkForward: trainShare must lie inside 0 to 1, got ${trainShare}`)
  }
  const first = Math.floor(bars * trainShare)
  const step = Math.floor((bars - first) / folds)
  if (first - gap < 1 || step < 1) {
    throw new RangeError(
      `walkForward: ${bars} bars are too few for ${folds} folds with a gap of ${gap}; pass more bars or fewer folds`
    )
  }
  return Array.from({ length: folds }, (_, fold) => {
    const from = first + fold * step
    return {
      train: { from: anchored ? 0 : from - first, to: from - gap },
      test: { from, to: fold === folds - 1 ? bars : from + step }
    }
  })
}

/**
 * Splits bars into rolling folds. Each train window is `ratio` times as long as its test window. The test window
 * follows directly after the train window.
 *
 * Method: a test window has `test = floor(bars / (folds + ratio))` bars, and a train window has `train = ratio * test`
 * bars. Each fold begins one test window after the previous fold, so that the test windows cover the newest bars. Fewer
 * than `folds + ratio` of the oldest bars are not used. Unit: bar indices.
 * Source: Pardo, The Evaluation and Optimization of Trading Strategies (2008).
 *
 * @throws RangeError when bars, folds or ratio is not a whole number of at least 1, or a window would be empty.
 * @example
 * import { rollingFolds } from "@tapeline/quant"
 * const [first, second] = rollingFolds(52, 2, 3)
 * first // => { train: { from: 2, to: 32 }, test: { from: 32, to: 42 } }
 * second // => { train: { from: 12, to: 42 }, test: { from: 42, to: 52 } }
 */
export function rollingFolds(
  bars: number,
  folds: number,
  ratio: number
): ReadonlyArray<{ readonly train: BarRange; readonly test: BarRange }> {
  checkInteger("rollingFolds", "bars", bars, 1)
  checkInteger("rollingFolds", "folds", folds, 1)
  checkInteger("rollingFolds", "ratio", ratio, 1)
  const test = Math.floor(bars / (folds + ratio))
  if (test < 1) {
    throw new RangeError(`rollingFolds: ${bars} bars are too few for ${folds} folds; pass more bars or fewer folds`)
  }
  return Array.from({ length: folds }, (_, fold) => {
    const from = bars - (folds - fold) * test
    return { train: { from: from - ratio * test, to: from }, test: { from, to: from + test } }
  })
}
