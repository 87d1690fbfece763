import {
  checkBarSeries,
  checkInteger,
  checkSameLength,
  getWarmUpLength,
  rejectNulls,
  rejectSeries,
  type Series
} from "../check.ts"
import { getRefreshInterval, rejectIfNotFinite, VARIANCE_REFRESH_SHARE } from "./averages.ts"

/**
 * True range: the range of a bar, including the gap from the previous close.
 *
 * Formula: `max(high, previous close) - min(low, previous close)`. Unit: the unit of the prices. The result of bar 0 is
 * NaN, because bar 0 has no previous close.
 * Source: Wilder, New Concepts in Technical Trading Systems (1978); TA-Lib, TA_TRANGE.
 *
 * @throws RangeError when lengths differ, a value is not finite, or a high is below its low.
 * @example
 * import { trueRange } from "@tapeline/quant"
 * trueRange([10, 12, 11], [9, 11, 8], [9.5, 11.5, 9]) // => [NaN, 2.5, 3.5]
 */
export function trueRange(high: Series, low: Series, close: Series): Float64Array {
  checkBarSeries("trueRange", high, low, close)
  const out = new Float64Array(close.length)
  if (out.length > 0) out[0] = NaN
  for (let i = 1; i < out.length; i++) {
    out[i] = getTrueRange(high[i]!, low[i]!, close[i - 1]!)
  }
  return out
}

/** Returns the true range of a bar. */
// Comparisons avoid Math.max and Math.min, which box their arguments in code that is not yet fully optimised.
const getTrueRange = (high: number, low: number, previous: number): number =>
  (previous > high ? previous : high) - (previous < low ? previous : low)

/**
 * Average true range: the Wilder average of the true range.
 *
 * Formula: `out[n] = mean(tr[1 .. n])`, then `(out[i - 1] * (n - 1) + tr[i]) / n`. Unit: the unit of the prices. The
 * first n results are NaN, because bar 0 has no true range.
 * Source: Wilder, New Concepts in Technical Trading Systems (1978); TA-Lib, TA_ATR.
 *
 * @throws RangeError when n is not a whole number of at least 1, lengths differ, a value is not finite, or a high is
 * below its low.
 * @example
 * import { atr } from "@tapeline/quant"
 * atr([10, 12, 11, 10], [9, 11, 8, 8], [9.5, 11.5, 9, 9], 2) // => [NaN, NaN, 3, 2.5]
 */
export function atr(high: Series, low: Series, close: Series, n = 14): Float64Array {
  checkInteger("atr", "n", n, 1)
  const length = close.length
  checkSameLength("atr", "high, low and close", length, high, low)
  const out = new Float64Array(length)
  if (n >= length) {
    checkBarSeries("atr", high, low, close)
    return out.fill(NaN)
  }
  rejectNulls("atr", "high", high)
  rejectNulls("atr", "low", low)
  rejectNulls("atr", "close", close)
  // Bar 0 has no true range, but a NaN in bar 0 must make the average NaN; `state[2]` is the number of bars whose high
  // is below the low.
  const state = new Float64Array(3)
  state[0] = high[0]! - high[0]! + (low[0]! - low[0]!)
  state[1] = close[0]!
  state[2] = low[0]! > high[0]! ? 1 : 0
  // The first n true ranges are summed without decay, and the sum is divided by n.
  computeAtrRange(high, low, close, out, state, 1, n + 1, 1, 1)
  const seed = state[0] / n
  state[0] = seed
  out[n] = seed
  out.fill(NaN, 0, n)
  computeAtrRange(high, low, close, out, state, n + 1, length, (n - 1) / n, 1 / n)
  // The last close is not part of any true range, so it is checked separately.
  if (state[2] > 0 || !Number.isFinite(state[0] + (state[1] - state[1]))) {
    // If `checkBarSeries` does not throw, the sums have overflowed.
    checkBarSeries("atr", high, low, close)
    rejectSeries("atr", 0, { high, low, close })
  }
  return out
}

const BLOCK = 1024

/**
 * Computes bars of {@link atr} in blocks, because the compiler boxes the numbers of a loop that it enters in the
 * middle.
 */
function computeAtrRange(
  high: Series,
  low: Series,
  close: Series,
  out: Float64Array,
  state: Float64Array,
  from: number,
  to: number,
  keep: number,
  k: number
): void {
  if (high instanceof Float64Array && low instanceof Float64Array && close instanceof Float64Array) {
    for (let i = from; i < to; i += BLOCK) {
      computeAtrBlock(high, low, close, 0, out, state, i, Math.min(i + BLOCK, to), keep, k)
    }
    return
  }
  const columns = [new Float64Array(BLOCK), new Float64Array(BLOCK), new Float64Array(BLOCK)] as const
  for (let i = from; i < to; i += BLOCK) {
    const end = Math.min(i + BLOCK, to)
    copyBlock(high, columns[0], i, end)
    copyBlock(low, columns[1], i, end)
    copyBlock(close, columns[2], i, end)
    computeAtrBlock(columns[0], columns[1], columns[2], i, out, state, i, end, keep, k)
  }
}

function copyBlock(x: Series, block: Float64Array, from: number, to: number): void {
  for (let i = from; i < to; i++) block[i - from] = x[i]!
}

function computeAtrBlock(
  high: Float64Array,
  low: Float64Array,
  close: Float64Array,
  shift: number,
  out: Float64Array,
  state: Float64Array,
  from: number,
  to: number,
  keep: number,
  k: number
): void {
  let value = state[0]!
  let previous = state[1]!
  let crossed = state[2]!
  for (let i = from; i < to; i++) {
    const top = high[i - shift]!
    const bottom = low[i - shift]!
    if (bottom > top) crossed++
    // Twice max(x, 0) is x + |x|, which needs no branch and preserves a NaN.
    const above = previous - top
    const below = bottom - previous
    const range = top - bottom + 0.5 * (above + Math.abs(above) + (below + Math.abs(below)))
    value = value * keep + range * k
    out[i] = value
    previous = close[i - shift]!
  }
  state[0] = value
  state[1] = previous
  state[2] = crossed
}

/** The result of {@link bollinger}: three series as long as the input. */
export interface Bands {
  readonly upper: Float64Array
  readonly middle: Float64Array
  readonly lower: Float64Array
}

/**
 * Bollinger bands.
 *
 * Formula: `middle = sma(x, n)`, `upper, lower = middle +- k * sd`, where sd is the population standard deviation
 * (divided by n) of the last n values. Unit: the unit of x. The first n - 1 results are NaN. The standard deviation of
 * equal values is exactly 0. If the input begins with m NaNs, such as the warm-up of another indicator, the first
 * result comes m bars later.
 * Source: Bollinger, Bollinger on Bollinger Bands (2001); TA-Lib, TA_BBANDS with a simple average. The variance is
 * updated by Welford's method, and computed again every max(n, 128) bars and after large drops, to limit rounding
 * errors.
 *
 * @throws RangeError when n is not a whole number of at least 1, k is not a finite number of at least 0, or a later
 * value is not finite.
 * @example
 * import { bollinger } from "@tapeline/quant"
 * const { upper, middle, lower } = bollinger([2, 4, 4, 6], 2, 2)
 * upper // => [NaN, 5, 4, 7]
 * middle // => [NaN, 3, 4, 5]
 * lower // => [NaN, 1, 4, 3]
 */
export function bollinger(x: Series, n = 20, k = 2): Bands {
  checkInteger("bollinger", "n", n, 1)
  if (!(k >= 0 && k < Infinity)) throw new RangeError(`bollinger: k must be finite and not below 0, got ${k}`)
  const length = x.length
  const upper = new Float64Array(length)
  const middle = new Float64Array(length)
  const lower = new Float64Array(length)
  const from = getWarmUpLength("bollinger", "x", x)
  const first = from + n - 1
  if (first >= length) {
    rejectIfNotFinite("bollinger", x, from)
    return { upper: upper.fill(NaN), middle: middle.fill(NaN), lower: lower.fill(NaN) }
  }
  upper.fill(NaN, 0, first)
  middle.fill(NaN, 0, first)
  lower.fill(NaN, 0, first)
  const step = getRefreshInterval(n)
  const share = 1 / n
  // The first bar from which on all values are equal, so a window that begins at or after `flatSince` is flat.
  let flatSince = from
  for (let i = from + 1; i <= first; i++) if (x[i] !== x[i - 1]) flatSince = i
  let start = first
  while (start < length) {
    let mean = 0
    for (let i = start - n + 1; i <= start; i++) mean += x[i]!
    mean *= share
    let square = 0
    for (let i = start - n + 1; i <= start; i++) square += (x[i]! - mean) * (x[i]! - mean)
    let floor = square * VARIANCE_REFRESH_SHARE
    let end = Math.min(start + step, length)
    for (let i = start; i < end; i++) {
      const value = x[i]!
      if (i > start) {
        const old = x[i - n]!
        const change = value - old
        const previousMean = mean
        mean += change * share
        square += change * (value - mean + (old - previousMean))
        if (square < floor) {
          end = i
          break
        }
        if (square * VARIANCE_REFRESH_SHARE > floor) floor = square * VARIANCE_REFRESH_SHARE
      }
      if (i > first && value !== x[i - 1]) flatSince = i
      let centre = mean
      let width = 0
      if (i - flatSince < n - 1) width = k * Math.sqrt(square * share)
      else centre = value
      middle[i] = centre
      upper[i] = centre + width
      lower[i] = centre - width
    }
    if (!Number.isFinite(mean + square)) rejectSeries("bollinger", from, { x })
    start = end
  }
  return { upper, middle, lower }
}

/** The result of {@link adx}: three series as long as the input. */
export interface DirectionalMovement {
  readonly adx: Float64Array
  readonly plusDi: Float64Array
  readonly minusDi: Float64Array
}

/**
 * Average directional movement index with its two directional indicators.
 *
 * Formula: `+DM = high - previous high` if the difference is positive and above `previous low - low`; `-DM` is the
 * reverse. +DM, -DM and the true range are Wilder sums over n, `DI = 100 * DM / TR`,
 * `DX = 100 * |+DI - -DI| / (+DI + -DI)`, and ADX is the Wilder average of DX. Unit: a number from 0 to 100. The first
 * values of +DI and -DI are at index n. The first value of ADX is at index 2n - 1, and is the mean of the first n
 * values of DX. Without any range or movement, DI and DX are 0.
 * Source: Wilder, New Concepts in Technical Trading Systems (1978); TA-Lib, TA_ADX, TA_PLUS_DI, TA_MINUS_DI.
 *
 * @throws RangeError when n is not a whole number of at least 2, lengths differ, a value is not finite, or a high is
 * below its low.
 * @example
 * import { adx } from "@tapeline/quant"
 * const rising = adx([2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6], [1.5, 2.5, 3.5, 4.5, 5.5, 6.5], 2)
 * rising.adx // => [NaN, NaN, NaN, 100, 100, 100]
 * rising.plusDi // => [NaN, NaN, 66.666667, 66.666667, 66.666667, 66.666667]
 */
export function adx(high: Series, low: Series, close: Series, n = 14): DirectionalMovement {
  checkInteger("adx", "n", n, 2)
  checkBarSeries("adx", high, low, close)
  const length = close.length
  const strength = new Float64Array(length).fill(NaN)
  const plusDi = new Float64Array(length).fill(NaN)
  const minusDi = new Float64Array(length).fill(NaN)
  let plus = 0
  let minus = 0
  let range = 0
  let sum = 0
  let average = 0
  for (let i = 1; i < length; i++) {
    const up = high[i]! - high[i - 1]!
    const down = low[i - 1]! - low[i]!
    const previous = close[i - 1]!
    // A Wilder sum adds the first n - 1 bars, and loses a share of 1 / n at each later bar.
    const keep = i < n ? 1 : 1 - 1 / n
    plus = plus * keep + (up > 0 && up > down ? up : 0)
    minus = minus * keep + (down > 0 && down > up ? down : 0)
    range = range * keep + getTrueRange(high[i]!, low[i]!, previous)
    if (i < n) continue
    const plusNow = range > 0 ? (100 * plus) / range : 0
    const minusNow = range > 0 ? (100 * minus) / range : 0
    plusDi[i] = plusNow
    minusDi[i] = minusNow
    const movement = plusNow + minusNow
    const dx = movement > 0 ? (100 * Math.abs(plusNow - minusNow)) / movement : 0
    if (i < 2 * n - 1) sum += dx
    else {
      average = i === 2 * n - 1 ? (sum + dx) / n : (average * (n - 1) + dx) / n
      strength[i] = average
    }
  }
  return { adx: strength, plusDi, minusDi }
}
