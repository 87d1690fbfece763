import { checkInteger, getWarmUpLength, type Series } from "../check.ts"
import { rejectIfNotFinite } from "./averages.ts"

/** Computes the highest (sign 1) or lowest (sign -1) value of a sliding window, in amortised O(1) per bar. */
export class RollingExtreme {
  readonly #ring: Int32Array
  readonly #x: Series
  readonly #n: number
  readonly #sign: number
  #head = 0
  #size = 0

  constructor(x: Series, n: number, sign: 1 | -1) {
    // The ring buffer needs at most the length of the series, because a longer window never slides.
    this.#ring = new Int32Array(Math.max(1, Math.min(n, x.length)))
    this.#x = x
    this.#n = n
    this.#sign = sign
  }

  /** Adds bar i, which must directly follow the last added bar, and returns the extreme of the last n bars. */
  push(i: number): number {
    const ring = this.#ring
    const capacity = ring.length
    const x = this.#x
    const value = x[i]! * this.#sign
    if (this.#size > 0 && ring[this.#head]! <= i - this.#n) {
      this.#head = (this.#head + 1) % capacity
      this.#size--
    }
    while (this.#size > 0 && x[ring[(this.#head + this.#size - 1) % capacity]!]! * this.#sign <= value) this.#size--
    ring[(this.#head + this.#size) % capacity] = i
    this.#size++
    return x[ring[this.#head]!]!
  }
}

function computeRolling(where: string, x: Series, n: number, sign: 1 | -1): Float64Array {
  checkInteger(where, "n", n, 1)
  const from = getWarmUpLength(where, "x", x)
  rejectIfNotFinite(where, x, from)
  const first = from + n - 1
  const out = new Float64Array(x.length).fill(NaN, 0, Math.min(first, x.length))
  const extreme = new RollingExtreme(x, n, sign)
  for (let i = from; i < x.length; i++) {
    const value = extreme.push(i)
    if (i >= first) out[i] = value
  }
  return out
}

/**
 * Highest value of the last n bars (for highs, the upper Donchian line).
 *
 * Formula: `out[i] = max(x[i - n + 1 .. i])`. Unit: the unit of x. The first n - 1 results are NaN. If the input begins
 * with m NaNs, such as the warm-up of another indicator, the first result comes m bars later.
 * Source: TA-Lib, TA_MAX.
 *
 * @throws RangeError when n is not a whole number of at least 1, or a later value is not finite.
 * @example
 * import { rollingMax } from "@tapeline/quant"
 * rollingMax([1, 3, 2, 1, 1], 3) // => [NaN, NaN, 3, 3, 2]
 */
export function rollingMax(x: Series, n: number): Float64Array {
  return computeRolling("rollingMax", x, n, 1)
}

/**
 * Lowest value of the last n bars (for lows, the lower Donchian line).
 *
 * Formula: `out[i] = min(x[i - n + 1 .. i])`. Unit: the unit of x. The first n - 1 results are NaN. If the input begins
 * with m NaNs, such as the warm-up of another indicator, the first result comes m bars later.
 * Source: TA-Lib, TA_MIN.
 *
 * @throws RangeError when n is not a whole number of at least 1, or a later value is not finite.
 * @example
 * import { rollingMin } from "@tapeline/quant"
 * rollingMin([3, 1, 2, 4, 5], 3) // => [NaN, NaN, 1, 1, 2]
 */
export function rollingMin(x: Series, n: number): Float64Array {
  return computeRolling("rollingMin", x, n, -1)
}

/**
 * Position of the close within the range of the last n bars.
 *
 * Formula: `100 * (close - lowest low) / (highest high - lowest low)`. Unit: percent, 0 at the bottom and 100 at the
 * top; 50 if the range is 0. The first n - 1 results are NaN.
 * Source: George Lane's %K, unsmoothed.
 *
 * @throws RangeError as {@link rollingMax}, or when the lengths differ.
 * @example
 * import { rangePosition } from "@tapeline/quant"
 * rangePosition([2, 3, 4], [1, 2, 3], [2, 3, 3.25], 3) // => [NaN, NaN, 75]
 */
export function rangePosition(high: Series, low: Series, close: Series, n: number): Float64Array {
  if (low.length !== high.length || close.length !== high.length) {
    throw new RangeError(
      `rangePosition: high, low and close must have equal lengths, got ${high.length}, ${low.length} and ${close.length}`
    )
  }
  rejectIfNotFinite("rangePosition", close, 0)
  const out = computeRolling("rangePosition", high, n, 1)
  const lowest = new RollingExtreme(low, n, -1)
  rejectIfNotFinite("rangePosition", low, 0)
  for (let i = 0; i < close.length; i++) {
    const bottom = lowest.push(i)
    const range = out[i]! - bottom
    if (i >= n - 1) out[i] = range > 0 ? (100 * (close[i]! - bottom)) / range : 50
  }
  return out
}
