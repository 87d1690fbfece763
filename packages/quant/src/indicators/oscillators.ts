import { checkBarSeries, checkInteger, getWarmUpLength, rejectSeries, type Series } from "../check.ts"
import { rejectIfNotFinite, writeSma } from "./averages.ts"
import { RollingExtreme } from "./extremes.ts"

/**
 * Relative strength index.
 *
 * Formula: `100 * G / (G + L)`, where G and L are the Wilder averages of the gains and losses from bar to bar, seeded
 * by the means of the first n changes. Unit: a number from 0 to 100. The first n results are NaN. A flat series gives
 * 50 (TA-Lib gives 0), because gains equal losses. If the input begins with m NaNs, such as the warm-up of another
 * indicator, the first result comes m bars later.
 * Source: Wilder, New Concepts in Technical Trading Systems (1978); TA-Lib, TA_RSI.
 *
 * @throws RangeError when n is not a whole number of at least 1, or a later value is not finite.
 * @example
 * import { rsi } from "@tapeline/quant"
 * const close = [37.875, 39.5, 38.75, 39.8125, 40, 39.875, 40.1875]
 * rsi(close, 5).slice(5) // => [76.6667, 78.8679]
 */
export function rsi(close: Series, n = 14): Float64Array {
  checkInteger("rsi", "n", n, 1)
  const length = close.length
  const out = new Float64Array(length)
  const from = getWarmUpLength("rsi", "close", close)
  const first = from + n
  if (first >= length) {
    rejectIfNotFinite("rsi", close, from)
    return out.fill(NaN)
  }
  out.fill(NaN, 0, first)
  let gain = 0
  let loss = 0
  let previous = close[from]!
  for (let i = from + 1; i <= first; i++) {
    const change = close[i]! - previous
    previous = close[i]!
    const up = (change + Math.abs(change)) * 0.5
    gain += up
    loss += up - change
  }
  gain /= n
  loss /= n
  let total = gain + loss
  out[first] = total > 0 ? 100 * (gain / total) : 50
  const keep = (n - 1) / n
  const k = 1 / n
  // `(change + size) / 2` is exactly max(change, 0), without a branch and with NaN preserved.
  const half = 0.5 * k
  for (let i = first + 1; i < length; i++) {
    const value = close[i]!
    const change = value - previous
    previous = value
    const size = Math.abs(change)
    gain = gain * keep + (change + size) * half
    loss = loss * keep + (size - change) * half
    total = gain + loss
    out[i] = total > 0 ? 100 * (gain / total) : 50
  }
  if (!Number.isFinite(total)) rejectSeries("rsi", from, { close })
  return out
}

/** The result of {@link macd}: three series as long as the input. */
export interface Macd {
  readonly line: Float64Array
  readonly signal: Float64Array
  readonly histogram: Float64Array
}

/**
 * Moving average convergence divergence.
 *
 * Formula: `line = ema(fast) - ema(slow)`, `signal = ema(line)`, `histogram = line - signal`. Unit: the unit of close.
 * As in TA-Lib, the fast and the slow average begin at the same bar: the first fast average is the mean of bars
 * `slow - fast .. slow - 1`. The line, the signal and the histogram begin at index `slow + signal - 2` (33 by default).
 * After about 250 bars, the results no longer depend on the first bars. If the input begins with m NaNs, such as the
 * warm-up of another indicator, the first result comes m bars later.
 * Source: Gerald Appel; TA-Lib, TA_MACD.
 *
 * @throws RangeError when a period is not a whole number of at least 1, fast is not below slow, or a later value is not
 * finite.
 * @example
 * import { macd } from "@tapeline/quant"
 * const { line, signal, histogram } = macd([1, 2, 3, 4, 5, 8], 2, 3, 2)
 * line // => [NaN, NaN, NaN, 0.5, 0.5, 0.833333]
 * signal // => [NaN, NaN, NaN, 0.5, 0.5, 0.722222]
 * histogram // => [NaN, NaN, NaN, 0, 0, 0.111111]
 */
export function macd(close: Series, fast = 12, slow = 26, signal = 9): Macd {
  checkInteger("macd", "fast", fast, 1)
  checkInteger("macd", "slow", slow, 1)
  checkInteger("macd", "signal", signal, 1)
  if (fast >= slow) throw new RangeError(`macd: fast must be below slow, got ${fast} and ${slow}`)
  const length = close.length
  const line = new Float64Array(length)
  const signals = new Float64Array(length)
  const histogram = new Float64Array(length)
  const from = getWarmUpLength("macd", "close", close)
  const start = from + slow - 1
  const first = start + signal - 1
  if (first >= length) {
    rejectIfNotFinite("macd", close, from)
    return { line: line.fill(NaN), signal: signals.fill(NaN), histogram: histogram.fill(NaN) }
  }
  line.fill(NaN, 0, first)
  signals.fill(NaN, 0, first)
  histogram.fill(NaN, 0, first)
  const fastK = 2 / (fast + 1)
  const slowK = 2 / (slow + 1)
  const signalK = 2 / (signal + 1)
  let fastMean = 0
  let slowMean = 0
  for (let i = from; i <= start; i++) slowMean += close[i]!
  for (let i = start - fast + 1; i <= start; i++) fastMean += close[i]!
  slowMean /= slow
  fastMean /= fast
  const fastKeep = 1 - fastK
  const slowKeep = 1 - slowK
  const signalKeep = 1 - signalK
  let difference = fastMean - slowMean
  let signalMean = difference
  for (let i = start + 1; i <= first; i++) {
    fastMean = fastMean * fastKeep + close[i]! * fastK
    slowMean = slowMean * slowKeep + close[i]! * slowK
    difference = fastMean - slowMean
    signalMean += difference
  }
  signalMean /= signal
  line[first] = difference
  signals[first] = signalMean
  histogram[first] = difference - signalMean
  for (let i = first + 1; i < length; i++) {
    const value = close[i]!
    fastMean = fastMean * fastKeep + value * fastK
    slowMean = slowMean * slowKeep + value * slowK
    difference = fastMean - slowMean
    signalMean = signalMean * signalKeep + difference * signalK
    line[i] = difference
    signals[i] = signalMean
    histogram[i] = difference - signalMean
  }
  if (!Number.isFinite(signalMean)) rejectSeries("macd", from, { close })
  return { line, signal: signals, histogram }
}

/**
 * Momentum: the difference from the value n bars before.
 *
 * Formula: `out[i] = x[i] - x[i - n]`. Unit: the unit of x. The first n results are NaN. If the input begins with m
 * NaNs, such as the warm-up of another indicator, the first result comes m bars later.
 * Source: TA-Lib, TA_MOM.
 *
 * @throws RangeError when n is not a whole number of at least 1, or a later value is not finite.
 * @example
 * import { momentum } from "@tapeline/quant"
 * momentum([10, 11, 13, 12], 2) // => [NaN, NaN, 3, 1]
 */
export function momentum(x: Series, n = 10): Float64Array {
  checkInteger("momentum", "n", n, 1)
  const out = new Float64Array(x.length)
  const from = getWarmUpLength("momentum", "x", x)
  rejectIfNotFinite("momentum", x, from)
  const first = Math.min(from + n, x.length)
  out.fill(NaN, 0, first)
  for (let i = first; i < x.length; i++) out[i] = x[i]! - x[i - n]!
  return out
}

/**
 * Rate of change over n bars.
 *
 * Formula: `out[i] = 100 * (x[i] / x[i - n] - 1)`. Unit: percent. The first n results are NaN. If the input begins with
 * m NaNs, such as the warm-up of another indicator, the first result comes m bars later.
 * Source: TA-Lib, TA_ROC.
 *
 * @throws RangeError when n is not a whole number of at least 1, a later value is not finite, or a base is 0.
 * @example
 * import { roc } from "@tapeline/quant"
 * roc([100, 110, 121], 1) // => [NaN, 10, 10]
 */
export function roc(x: Series, n = 10): Float64Array {
  checkInteger("roc", "n", n, 1)
  const out = new Float64Array(x.length)
  const from = getWarmUpLength("roc", "x", x)
  rejectIfNotFinite("roc", x, from)
  const first = Math.min(from + n, x.length)
  out.fill(NaN, 0, first)
  for (let i = first; i < x.length; i++) {
    const base = x[i - n]!
    if (base === 0) throw new RangeError(`roc: x[${i - n}] is 0, and a change from 0 has no rate; use momentum`)
    out[i] = 100 * (x[i]! / base - 1)
  }
  return out
}

/**
 * Stochastic oscillator (slow).
 *
 * Formula: `raw = 100 * (close - lowest low of n) / (highest high of n - lowest low of n)`, `k = sma(raw, smoothK)`,
 * `d = sma(k, smoothD)`. Unit: a number from 0 to 100. If the range is 0, raw is 50 (0 in TA-Lib). The first value of k
 * is at index `n + smoothK - 2`, and of d at index `n + smoothK + smoothD - 3`. In TA-Lib, the first value of k is at
 * the same index as the first value of d.
 * Source: George Lane; TA-Lib, TA_STOCH.
 *
 * @throws RangeError when a period is not a whole number of at least 1, lengths differ, a value is not finite, or a
 * high is below its low.
 * @example
 * import { stochastic } from "@tapeline/quant"
 * stochastic([2, 3, 4, 5], [1, 2, 3, 4], [2, 3, 3.5, 4.5], 2, 1, 1).k // => [NaN, 100, 75, 75]
 */
export function stochastic(
  high: Series,
  low: Series,
  close: Series,
  n = 14,
  smoothK = 3,
  smoothD = 3
): { readonly k: Float64Array; readonly d: Float64Array } {
  checkInteger("stochastic", "n", n, 1)
  checkInteger("stochastic", "smoothK", smoothK, 1)
  checkInteger("stochastic", "smoothD", smoothD, 1)
  checkBarSeries("stochastic", high, low, close)
  const length = close.length
  const k = new Float64Array(length)
  // The array `d` contains the raw line until `d` is computed from `k`.
  const d = new Float64Array(length).fill(NaN, 0, Math.min(n - 1, length))
  const highest = new RollingExtreme(high, n, 1)
  const lowest = new RollingExtreme(low, n, -1)
  for (let i = 0; i < length; i++) {
    const top = highest.push(i)
    const bottom = lowest.push(i)
    if (i >= n - 1) d[i] = top > bottom ? (100 * (close[i]! - bottom)) / (top - bottom) : 50
  }
  writeSma("stochastic", k, d, smoothK)
  writeSma("stochastic", d, k, smoothD)
  return { k, d }
}
