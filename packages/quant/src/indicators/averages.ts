import { checkInteger, getWarmUpLength, rejectNulls, rejectSeries, type Series } from "../check.ts"

/** Returns the number of bars after which a sliding window is summed again, to limit rounding errors. */
export const getRefreshInterval = (n: number): number => Math.max(n, 128)

/**
 * If a sliding variance falls below this share of its peak, the variance is computed again, because rounding errors
 * would dominate.
 */
export const VARIANCE_REFRESH_SHARE = 1e-6

/**
 * Simple moving average: the arithmetic mean of the last n values.
 *
 * Formula: `out[i] = (x[i - n + 1] + ... + x[i]) / n`. Unit: the unit of x. The first n - 1 results are NaN. If the
 * input begins with m NaNs, such as the warm-up of another indicator, the first result comes m bars later.
 * Source: TA-Lib, TA_SMA.
 *
 * @throws RangeError when n is not a whole number of at least 1, or a later value is not finite.
 * @example
 * import { sma } from "@tapeline/quant"
 * sma([1, 2, 3, 4, 5], 3) // => [NaN, NaN, 2, 3, 4]
 */
export function sma(x: Series, n: number): Float64Array {
  checkInteger("sma", "n", n, 1)
  return writeSma("sma", new Float64Array(x.length), x, n)
}

/** Writes the {@link sma} of `x` into `out`, which must not be `x` itself. */
export function writeSma(where: string, out: Float64Array, x: Series, n: number): Float64Array {
  const length = x.length
  const from = getWarmUpLength(where, "x", x)
  const first = from + n - 1
  if (first >= length) {
    rejectIfNotFinite(where, x, from)
    return out.fill(NaN)
  }
  out.fill(NaN, 0, first)
  const step = getRefreshInterval(n)
  for (let start = first; start < length; start += step) {
    let sum = 0
    for (let i = start - n + 1; i <= start; i++) sum += x[i]!
    out[start] = sum / n
    const end = Math.min(start + step, length)
    for (let i = start + 1; i < end; i++) {
      sum += x[i]! - x[i - n]!
      out[i] = sum / n
    }
    if (!Number.isFinite(sum)) rejectSeries(where, from, { x })
  }
  return out
}

/**
 * Exponential moving average, seeded by the simple average of its first n values.
 *
 * Formula: `k = 2 / (n + 1)`, `out[n - 1] = sma`, then `out[i] = x[i] * k + out[i - 1] * (1 - k)`. Unit: the unit of x.
 * The first n - 1 results are NaN. If the input begins with m NaNs, such as the warm-up of another indicator, the first
 * result comes m bars later.
 * Source: TA-Lib, TA_EMA in its classic mode.
 *
 * @throws RangeError when n is not a whole number of at least 1, or a later value is not finite.
 * @example
 * import { ema } from "@tapeline/quant"
 * ema([1, 2, 3, 4, 6], 3) // => [NaN, NaN, 2, 3, 4.5]
 */
export function ema(x: Series, n: number): Float64Array {
  checkInteger("ema", "n", n, 1)
  return computeSmoothed("ema", x, n, 2 / (n + 1))
}

/**
 * Wilder's smoothing (RMA, SMMA): an exponential average with k = 1 / n, seeded by the simple average of n values.
 *
 * Formula: `out[n - 1] = sma`, then `out[i] = (out[i - 1] * (n - 1) + x[i]) / n`. Unit: the unit of x. The first n - 1
 * results are NaN. If the input begins with m NaNs, such as the warm-up of another indicator, the first result comes m
 * bars later.
 * Source: Wilder, New Concepts in Technical Trading Systems (1978); Achelis, Technical Analysis from A to Z, p. 366.
 *
 * @throws RangeError when n is not a whole number of at least 1, or a later value is not finite.
 * @example
 * import { wilder } from "@tapeline/quant"
 * wilder([62.125, 61.125, 62.3438, 65.3125, 63.9688, 63.4375], 5).slice(4) // => [62.975, 63.0675]
 */
export function wilder(x: Series, n: number): Float64Array {
  checkInteger("wilder", "n", n, 1)
  return computeSmoothed("wilder", x, n, 1 / n)
}

function computeSmoothed(where: string, x: Series, n: number, k: number): Float64Array {
  const length = x.length
  const out = new Float64Array(length)
  const from = getWarmUpLength(where, "x", x)
  const first = from + n - 1
  if (first >= length) {
    rejectIfNotFinite(where, x, from)
    return out.fill(NaN)
  }
  out.fill(NaN, 0, first)
  let value = 0
  for (let i = from; i <= first; i++) value += x[i]!
  value /= n
  out[first] = value
  const keep = 1 - k
  for (let i = first + 1; i < length; i++) {
    value = value * keep + x[i]! * k
    out[i] = value
  }
  if (!Number.isFinite(value)) rejectSeries(where, from, { x })
  return out
}

export function rejectIfNotFinite(where: string, x: Series, from: number): void {
  rejectNulls(where, "x", x)
  for (let i = from; i < x.length; i++) if (x[i]! - x[i]! !== 0) rejectSeries(where, from, { x })
}
