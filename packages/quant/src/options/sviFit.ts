import { checkFinite, checkPositive, checkPositiveSeries, checkSameLength, type Series } from "../check.ts"
import { minimiseLeastSquares } from "./leastSquares.ts"
import { type Svi, sviButterfly } from "./svi.ts"
import { durrleman, totalVariance } from "./sviFormula.ts"

/** A fitted SVI slice. */
export interface SviFit {
  readonly parameters: Svi
  /** The root mean square error in volatility; 1.00 = 100 points. */
  readonly rmse: number
  /** The minimum of Durrleman's g over all strikes, which is below 0 if there is butterfly arbitrage. */
  readonly minG: number
  readonly arbitrageFree: boolean
}

interface Quotes {
  readonly k: Float64Array
  readonly ivs: Float64Array
  /** The weights of the quotes, which add up to 1. */
  readonly weights: Float64Array
  readonly years: number
  readonly middle: number
  readonly span: number
  readonly level: number
}

/** The slope of the steepest wing in the search, just inside Lee's bound of 2. */
const MAX_SLOPE = 1.999999
/** The slope of the flattest wing in the search, as a share of the steepest slope. */
const MIN_SLOPE_SHARE = 1e-9
/** The bounds of a slice's centre and width in the search, as multiples of the quotes' span. */
const MAX_CENTRE_DISTANCE = 10
const MIN_WIDTH = 0.003
const MAX_WIDTH = 20

const logistic = (x: number): number => 1 / (1 + Math.exp(-x))
/** Returns the inverse of `logistic`. The argument is clamped, so that the result is finite. */
const logit = (share: number): number => {
  const inside = Math.min(1 - MIN_SLOPE_SHARE, Math.max(MIN_SLOPE_SHARE, share))
  return Math.log(inside / (1 - inside))
}

const logWidthRange = Math.log(MAX_WIDTH / MIN_WIDTH)

/** Maps unbounded parameters to a slice with positive variance, |rho| < 1, and wings that obey Lee's bound. */
function toSvi(free: Float64Array, { middle, span }: Quotes): Svi {
  const floor = Math.exp(free[0]!)
  // The slope of a wing must not be 0, because rho would round to 1 or -1.
  const left = MAX_SLOPE * Math.max(MIN_SLOPE_SHARE, logistic(free[1]!))
  const right = MAX_SLOPE * Math.max(MIN_SLOPE_SHARE, logistic(free[2]!))
  const m = middle + MAX_CENTRE_DISTANCE * span * (2 * logistic(free[3]!) - 1)
  const sigma = MIN_WIDTH * span * Math.exp(logWidthRange * logistic(free[4]!))
  const b = 0.5 * (left + right)
  const rho = (right - left) / (left + right)
  // The minimum of the variance is at least a small share of the dip, so that rounding cannot make the minimum
  // negative.
  const dip = b * sigma * Math.sqrt(1 - rho * rho)
  return { a: Math.max(floor, 1e-12 * dip) - dip, b, rho, m, sigma }
}

function toFreeParameters(start: StartingPoint, { middle, span }: Quotes): Float64Array {
  return Float64Array.of(
    Math.log(start.floor),
    logit(start.left / MAX_SLOPE),
    logit(start.right / MAX_SLOPE),
    logit(0.5 + (start.m - middle) / (2 * MAX_CENTRE_DISTANCE * span)),
    logit(Math.log(start.sigma / (MIN_WIDTH * span)) / logWidthRange)
  )
}

interface StartingPoint {
  readonly floor: number
  readonly left: number
  readonly right: number
  readonly m: number
  readonly sigma: number
  readonly error: number
}

/**
 * Returns the best slice with the given centre `m` and width `sigma`. Total variance is linear in the parameters other
 * than the centre and the width.
 */
function fitWings(quotes: Quotes, m: number, sigma: number): StartingPoint {
  const { k, ivs, weights, years } = quotes
  // The weighted means of the basis functions and of the target variance, and the weighted products of deviations.
  let [total, meanL, meanR, meanW] = [0, 0, 0, 0]
  const rows: Array<readonly [l: number, r: number, w: number, weight: number]> = []
  for (let i = 0; i < k.length; i++) {
    const x = k[i]! - m
    const root = Math.hypot(x, sigma)
    const w = ivs[i]! ** 2 * years
    const weight = weights[i]! / (4 * w * years)
    const [l, r] = [0.5 * (root - x), 0.5 * (root + x)]
    rows.push([l, r, w, weight])
    total += weight
    meanL += weight * l
    meanR += weight * r
    meanW += weight * w
  }
  meanL /= total
  meanR /= total
  meanW /= total
  let [ll, lr, rr, lw, rw, ww] = [0, 0, 0, 0, 0, 0]
  for (const [l, r, w, weight] of rows) {
    const [dl, dr, dw] = [l - meanL, r - meanR, w - meanW]
    ll += weight * dl * dl
    lr += weight * dl * dr
    rr += weight * dr * dr
    lw += weight * dl * dw
    rw += weight * dr * dw
    ww += weight * dw * dw
  }
  let best = { left: 0, right: 0, error: Infinity }
  const consider = (left: number, right: number): void => {
    if (!(left >= 0 && left <= MAX_SLOPE && right >= 0 && right <= MAX_SLOPE)) return
    const error = ww - 2 * (left * lw + right * rw) + left * left * ll + 2 * left * right * lr + right * right * rr
    if (error < best.error) best = { left, right, error }
  }
  const determinant = ll * rr - lr * lr
  consider((lw * rr - rw * lr) / determinant, (rw * ll - lw * lr) / determinant)
  for (const bound of [0, MAX_SLOPE]) {
    consider(bound, (rw - bound * lr) / rr)
    consider((lw - bound * lr) / ll, bound)
    for (const other of [0, MAX_SLOPE]) consider(bound, other)
  }
  const { left, right, error } = best
  const level = meanW - left * meanL - right * meanR
  return { floor: Math.max(1e-3 * quotes.level, level + sigma * Math.sqrt(left * right)), left, right, m, sigma, error }
}

/**
 * The maximum number of starting points of the search. Each width on a grid gives one starting point, with the best
 * centre for this width.
 */
const MAX_STARTS = 5

function findStartingPoints(quotes: Quotes): ReadonlyArray<StartingPoint> {
  const { middle, span } = quotes
  const bestStarts = [0.02, 0.06, 0.15, 0.35, 0.8, 2, 6].map((width) => {
    const centres = Array.from({ length: 17 }, (_, j) => fitWings(quotes, middle + ((j - 8) / 8) * span, width * span))
    return centres.reduce((best, start) => (start.error < best.error ? start : best))
  })
  return bestStarts.sort((a, b) => a.error - b.error).slice(0, MAX_STARTS)
}

/**
 * During a search, the penalty keeps Durrleman's g above this margin, because a finite penalty permits small violations
 * of g >= 0.
 */
const MARGIN = 2e-3
/** The points at which the penalty checks Durrleman's g. */
// These points are multiples of the slice's width, relative to the slice's centre.
const CENTRE_POINTS = Float64Array.from({ length: 41 }, (_, j) => Math.sinh((j - 20) * 0.3))
// These points are multiples of the span of the quotes, relative to the money.
const MONEY_POINTS = Float64Array.from({ length: 25 }, (_, j) => Math.sinh((j - 12) * 0.3))

/**
 * A penalty on values of Durrleman's g below `margin`. `extraPoints` contains further log-moneynesses at which the
 * penalty checks g.
 */
interface Penalty {
  readonly weight: number
  readonly margin: number
  readonly extraPoints: ReadonlyArray<number>
}

/**
 * The strength of the regularisation. Regularisation determines the parameters that the quotes leave undetermined, such
 * as the width of a straight line.
 */
const REGULARISATION = 1e-6
const WEAK_REGULARISATION = 1e-9

function refine(
  free: Float64Array,
  quotes: Quotes,
  penalty: Penalty | null,
  regularisation = REGULARISATION,
  steps = 100
): void {
  const { k, ivs, weights, years, span, level } = quotes
  const n = k.length
  const residuals = (x: Float64Array, out: Float64Array): void => {
    const svi = toSvi(x, quotes)
    for (let i = 0; i < n; i++) {
      out[i] = Math.sqrt(weights[i]!) * (Math.sqrt(Math.max(0, totalVariance(svi, k[i]!)) / years) - ivs[i]!)
    }
    for (let j = 0; j < 5; j++) out[n + j] = regularisation * (j === 0 ? x[0]! - Math.log(level) : x[j]!)
    if (penalty === null) return
    let position = n + 5
    const addPenalty = (place: number): void => {
      const shortfall = Math.max(0, penalty.margin - durrleman(svi, place))
      out[position++] = (penalty.weight * shortfall) / (1 + shortfall)
    }
    for (const width of CENTRE_POINTS) addPenalty(svi.m + svi.sigma * width)
    for (const reach of MONEY_POINTS) addPenalty(span * reach)
    for (const place of penalty.extraPoints) addPenalty(place)
  }
  const penaltyCount = penalty === null ? 0 : CENTRE_POINTS.length + MONEY_POINTS.length + penalty.extraPoints.length
  minimiseLeastSquares(residuals, free, n + 5 + penaltyCount, penalty === null ? steps : 80)
}

function meanSquare(svi: Svi, { k, ivs, weights, years }: Quotes): number {
  let sum = 0
  for (let i = 0; i < k.length; i++) {
    sum += weights[i]! * (Math.sqrt(Math.max(0, totalVariance(svi, k[i]!)) / years) - ivs[i]!) ** 2
  }
  return sum
}

const WEIGHTS = [0.003, 0.03, 0.3, 3, 30, 30, 30]

/**
 * Refines a slice under rising penalties until the slice has no butterfly arbitrage. Returns null if arbitrage remains.
 */
function refineUntilArbitrageFree(free: Float64Array, quotes: Quotes): Svi | null {
  const extraPoints: Array<number> = []
  for (let round = 0; round <= WEIGHTS.length; round++) {
    const svi = toSvi(free, quotes)
    const { arbitrageFree, at } = sviButterfly(svi)
    if (arbitrageFree) return svi
    if (Number.isFinite(at)) extraPoints.push(at)
    const weight = WEIGHTS[round]
    if (weight !== undefined) refine(free, quotes, { weight, margin: MARGIN * (1 + round), extraPoints })
  }
  return null
}

/**
 * If the fit without arbitrage exceeds the error of the unconstrained fit by more than this factor, a second search
 * starts.
 */
const SEARCH_AGAIN_FACTOR = 1.02

const toStartingPoint = ({ a, b, m, rho, sigma }: Svi): StartingPoint => ({
  floor: a + b * sigma * Math.sqrt(1 - rho * rho),
  left: b * (1 - rho),
  right: b * (1 + rho),
  m,
  sigma,
  error: 0
})

/** Searches from several starting points for the SVI slice with the smallest error and no butterfly arbitrage. */
function search(quotes: Quotes): Svi {
  const candidates = findStartingPoints(quotes).map((start) => {
    const free = toFreeParameters(start, quotes)
    refine(free, quotes, null)
    return { free, error: meanSquare(toSvi(free, quotes), quotes) }
  }).sort((a, b) => a.error - b.error)
  // The result is never worse than a constant volatility for all strikes.
  let best = toSvi(makeFlatSlice(quotes), quotes)
  let error = meanSquare(best, quotes)
  const consider = (svi: Svi): void => {
    const found = meanSquare(svi, quotes)
    if (found < error) {
      error = found
      best = svi
    }
  }
  for (const { free, error: unconstrainedError } of candidates) {
    // A penalty can only increase the error.
    if (unconstrainedError < error) consider(refineUntilArbitrageFree(free, quotes) ?? findTowardsFlat(free, quotes))
  }
  const polished = toFreeParameters(toStartingPoint(best), quotes)
  refine(polished, quotes, null, WEAK_REGULARISATION, 400)
  consider(refineUntilArbitrageFree(polished, quotes) ?? best)
  // A second search starts under the penalty, because the unconstrained fit can be far from the best slice.
  const minError = candidates[0]!.error
  if (error > SEARCH_AGAIN_FACTOR * minError) {
    for (const start of [toStartingPoint(best), ...findStartingPoints(quotes)]) {
      const free = toFreeParameters(start, quotes)
      refine(free, quotes, { weight: 30, margin: MARGIN, extraPoints: [] })
      const svi = refineUntilArbitrageFree(free, quotes)
      if (svi !== null) consider(svi)
    }
  }
  return best
}

/** Returns a slice with the same volatility at every strike: the weighted mean of the quotes. */
function makeFlatSlice({ ivs, weights, years }: Quotes): Float64Array {
  const mean = ivs.reduce((sum, iv, i) => sum + iv * weights[i]!, 0)
  return Float64Array.of(Math.log(mean * mean * years), logit(0), logit(0), 0, logit(1))
}

/** Returns the first slice without butterfly arbitrage on the way from a given slice to a flat slice. */
function findTowardsFlat(from: Float64Array, quotes: Quotes): Svi {
  const to = makeFlatSlice(quotes)
  for (let step = 1; step < 50; step++) {
    const svi = toSvi(from.map((x, j) => x + (to[j]! - x) * (step / 50)), quotes)
    if (sviButterfly(svi).arbitrageFree) return svi
  }
  return toSvi(to, quotes)
}

/**
 * Fits a raw SVI slice to quoted volatilities, free of butterfly arbitrage over all strikes.
 *
 * Method: a grid search over the centre and the width, where a linear problem gives the other parameters (the
 * quasi-explicit form). The best few slices are refined by least squares in volatility (Levenberg and Marquardt). The
 * search keeps the variance positive and the slopes of the wings inside Lee's bound. The span of the quotes limits the
 * centre and the width of the slice. A slice with butterfly arbitrage is refined under a rising penalty on negative
 * {@link sviG} until {@link sviButterfly} finds no arbitrage. `k` contains log-moneynesses ln(K / F) in any order.
 * `weights` (1 by default) can be vegas or inverse spreads.
 * Units: annual ivs, 1.00 = 100 %. Returns null for fewer than 5 quotes, because the slice would be undetermined. The
 * fit considers only one expiry; {@link sviCalendar} checks slices of several expiries.
 * Source: De Marco and Martini, Quasi-Explicit Calibration of Gatheral's SVI (2009); Gatheral and Jacquier (2014).
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
  checkSameLength("sviFit", "k and ivs", k.length, ivs)
  checkPositive("sviFit", "years", years)
  checkPositiveSeries("sviFit", "ivs", ivs)
  for (let i = 0; i < k.length; i++) checkFinite("sviFit", `k[${i}]`, k[i]!)
  if (weights !== undefined) {
    checkSameLength("sviFit", "k and weights", k.length, weights)
    checkPositiveSeries("sviFit", "weights", weights)
  }
  const n = k.length
  if (n < 5) return null
  const points = Float64Array.from(k)
  const low = points.reduce((a, b) => Math.min(a, b))
  const high = points.reduce((a, b) => Math.max(a, b))
  const shares = weights === undefined ? new Float64Array(n).fill(1) : Float64Array.from(weights)
  const total = shares.reduce((a, b) => a + b)
  const vols = Float64Array.from(ivs)
  const parameters = search({
    k: points,
    ivs: vols,
    weights: shares.map((weight) => weight / total),
    years,
    middle: 0.5 * (low + high),
    span: Math.max(high - low, 1e-3),
    level: (vols.reduce((sum, iv) => sum + iv * iv, 0) / n) * years
  })
  const { minG, arbitrageFree } = sviButterfly(parameters)
  const equal = { k: points, ivs: vols, weights: new Float64Array(n).fill(1 / n), years, middle: 0, span: 1, level: 1 }
  return { parameters, rmse: Math.sqrt(meanSquare(parameters, equal)), minG, arbitrageFree }
}
