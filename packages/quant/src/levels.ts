import {
  checkBarSeries,
  checkFinite,
  checkInteger,
  checkNotNegative,
  checkSameLength,
  getWarmUpLength,
  type Series
} from "./check.ts"
import { rejectIfNotFinite } from "./indicators/averages.ts"

/** A confirmed turning point of the price. */
export interface Swing {
  readonly kind: "high" | "low"
  readonly index: number
  /** The index of the bar at whose close the swing becomes known; no earlier bar may use the swing. */
  readonly knownAt: number
  readonly price: number
}

/**
 * Swing highs and lows: strict extremes of n bars on both sides.
 *
 * Formula: bar i is a swing high if `high[i]` is above every other high of bars `i - n .. i + n`; bar i is a swing low
 * if `low[i]` is below every other low of these bars. If the two highest highs inside the window are equal, neither is
 * a swing high. Unit: the unit of the prices. Swings are ordered by index. If one bar is both a swing high and a swing
 * low, the high comes first. A swing becomes known at bar `knownAt = index + n`. A calculation that uses swings only
 * from `knownAt` on does not look ahead.
 * Source: Williams's fractals (n = 2), generalised.
 *
 * @throws RangeError when n is not a whole number of at least 1, lengths differ, a value is not finite, or a high is
 * below its low.
 * @example
 * import { swings } from "@tapeline/quant"
 * swings([1, 2, 5, 3, 2], [0, 1, 4, 2, 1], 2) // => [{ kind: "high", index: 2, knownAt: 4, price: 5 }]
 */
export function swings(high: Series, low: Series, n: number): ReadonlyArray<Swing> {
  checkInteger("swings", "n", n, 1)
  checkBarSeries("swings", high, low, low)
  const found: Array<Swing> = []
  const length = high.length
  // A monotonic stack finds the nearest earlier and the nearest later bar that are at least as extreme as a bar.
  const highs = distanceToExtreme(high, 1)
  const lows = distanceToExtreme(low, -1)
  for (let i = n; i < length - n; i++) {
    if (highs[i]! > n) found.push({ kind: "high", index: i, knownAt: i + n, price: high[i]! })
    if (lows[i]! > n) found.push({ kind: "low", index: i, knownAt: i + n, price: low[i]! })
  }
  return found
}

function distanceToExtreme(x: Series, sign: 1 | -1): Float64Array {
  const length = x.length
  const reach = new Float64Array(length).fill(Infinity)
  const stack = new Int32Array(length)
  let size = 0
  for (let i = 0; i < length; i++) {
    const value = x[i]! * sign
    while (size > 0 && x[stack[size - 1]!]! * sign <= value) {
      const lessExtreme = stack[--size]!
      reach[lessExtreme] = Math.min(reach[lessExtreme]!, i - lessExtreme)
      if (x[lessExtreme]! * sign === value) reach[i] = Math.min(reach[i]!, i - lessExtreme)
    }
    if (size > 0) reach[i] = Math.min(reach[i]!, i - stack[size - 1]!)
    stack[size++] = i
  }
  return reach
}

/** A price level at which several swings occurred. */
export interface Level {
  /** The mean price of the merged swings. */
  readonly price: number
  readonly touches: number
  readonly lastIndex: number
}

/**
 * Support and resistance levels: merged swings whose prices are within a distance of one another.
 *
 * Rule: in ascending order, each price joins the level below if the price is within `distance` of the level's current
 * mean. Callers usually pass a fraction of the ATR as the distance. Unit: prices. Levels are ordered by price.
 * Source: single-link clustering in one dimension, about the running mean.
 *
 * @throws RangeError when distance is negative or not finite.
 * @example
 * import { mergeLevels } from "@tapeline/quant"
 * const at = (price: number, index: number) => ({ kind: "high" as const, index, knownAt: index + 2, price })
 * const [low, high] = mergeLevels([at(100, 5), at(101, 9), at(110, 3)], 2)
 * low // => { price: 100.5, touches: 2, lastIndex: 9 }
 * high // => { price: 110, touches: 1, lastIndex: 3 }
 */
export function mergeLevels(found: ReadonlyArray<Swing>, distance: number): ReadonlyArray<Level> {
  checkNotNegative("mergeLevels", "distance", distance)
  const levels: Array<{ price: number; touches: number; lastIndex: number }> = []
  for (const { price, index } of found.toSorted((a, b) => a.price - b.price)) {
    const level = levels.at(-1)
    if (level !== undefined && price - level.price <= distance) {
      level.touches++
      level.price += (price - level.price) / level.touches
      level.lastIndex = Math.max(level.lastIndex, index)
    } else levels.push({ price, touches: 1, lastIndex: index })
  }
  return levels
}

/** The classic Fibonacci retracement ratios. */
export const fibonacciRatios: ReadonlyArray<number> = [0.236, 0.382, 0.5, 0.618, 0.786]

/** One retracement level of a price move. */
export interface Retracement {
  readonly ratio: number
  readonly price: number
}

/**
 * Fibonacci retracements of a price move (leg).
 *
 * Formula: `high - ratio * (high - low)` for an up leg, `low + ratio * (high - low)` for a down leg. Unit: prices.
 * Source: Investopedia, Fibonacci Retracement (15 - 5 * 0.236 = 13.82).
 *
 * @throws RangeError when low or high is not finite, low is above high, or a ratio is not finite.
 * @example
 * import { fibonacci } from "@tapeline/quant"
 * fibonacci(10, 15)[0] // => { ratio: 0.236, price: 13.82 }
 * fibonacci(10, 15, "down", [0.236]) // => [{ ratio: 0.236, price: 11.18 }]
 */
export function fibonacci(
  low: number,
  high: number,
  direction: "up" | "down" = "up",
  ratios: ReadonlyArray<number> = fibonacciRatios
): ReadonlyArray<Retracement> {
  checkFinite("fibonacci", "low", low)
  checkFinite("fibonacci", "high", high)
  if (low > high) throw new RangeError(`fibonacci: low (${low}) is above high (${high}); swap them`)
  if (direction !== "up" && direction !== "down") {
    throw new RangeError(`fibonacci: direction must be "up" or "down", got ${String(direction)}`)
  }
  return ratios.map((ratio) => {
    checkFinite("fibonacci", "ratio", ratio)
    const move = ratio * (high - low)
    return { ratio, price: direction === "up" ? high - move : low + move }
  })
}

/** The classic pivot points of one period. */
export interface Pivots {
  readonly pivot: number
  readonly r1: number
  readonly r2: number
  readonly r3: number
  readonly s1: number
  readonly s2: number
  readonly s3: number
}

/**
 * Classic (floor trader's) pivot points from the previous period's high, low and close.
 *
 * Formula: `P = (H + L + C) / 3`, `R1 = 2P - L`, `S1 = 2P - H`, `R2, S2 = P +- (H - L)`, `R3 = H + 2 (P - L)`,
 * `S3 = L - 2 (H - P)`. Unit: prices.
 * Source: Person, A Complete Guide to Technical Trading Tactics (2004).
 *
 * @throws RangeError when a price is not finite or high is below low.
 * @example
 * import { pivots } from "@tapeline/quant"
 * pivots(12, 6, 9) // => { pivot: 9, r1: 12, r2: 15, r3: 18, s1: 6, s2: 3, s3: 0 }
 */
export function pivots(high: number, low: number, close: number): Pivots {
  checkFinite("pivots", "high", high)
  checkFinite("pivots", "low", low)
  checkFinite("pivots", "close", close)
  if (high < low) throw new RangeError(`pivots: high (${high}) is below low (${low})`)
  const pivot = (high + low + close) / 3
  return {
    pivot,
    r1: 2 * pivot - low,
    r2: pivot + (high - low),
    r3: high + 2 * (pivot - low),
    s1: 2 * pivot - high,
    s2: pivot - (high - low),
    s3: low - 2 * (high - pivot)
  }
}

/** A disagreement between price and oscillator at two consecutive swings. */
export interface Divergence {
  readonly kind: "regular" | "hidden"
  readonly bias: "bullish" | "bearish"
  readonly from: Swing
  readonly to: Swing
  /** The index of the bar at whose close the divergence becomes known. */
  readonly knownAt: number
}

/**
 * Divergences between price and an oscillator, such as the RSI, at consecutive confirmed swings.
 *
 * Rule: for lows, a lower price with a higher oscillator is regular bullish, and a higher price with a lower oscillator
 * is hidden bullish. For highs, a higher price with a lower oscillator is regular bearish, and a lower price with a
 * higher oscillator is hidden bearish. Equal values do not count as a divergence. Swings during the warm-up of the
 * oscillator are skipped.
 * Source: Elder, Trading for a Living (1993); Andrew Cardwell on hidden divergence.
 *
 * @throws RangeError as {@link swings}, or when the lengths differ or the oscillator is NaN after its warm-up.
 * @example
 * import { divergences } from "@tapeline/quant"
 * const low = [5, 4, 5, 6, 3, 6]
 * const high = [6, 5, 6, 7, 4, 7]
 * divergences(high, low, [40, 20, 40, 50, 30, 50], 1).map((d) => d.kind + " " + d.bias) // => ["regular bullish"]
 */
export function divergences(high: Series, low: Series, oscillator: Series, n: number): ReadonlyArray<Divergence> {
  checkSameLength("divergences", "high, low and oscillator", high.length, low, oscillator)
  const from = getWarmUpLength("divergences", "oscillator", oscillator)
  rejectIfNotFinite("divergences", oscillator, from)
  const found: Array<Divergence> = []
  let lastHigh: Swing | undefined
  let lastLow: Swing | undefined
  for (const swing of swings(high, low, n)) {
    if (swing.index < from) continue
    const previous = swing.kind === "high" ? lastHigh : lastLow
    if (swing.kind === "high") lastHigh = swing
    else lastLow = swing
    if (previous === undefined) continue
    // `price` and `strength` are positive if price and oscillator rise at swing highs or fall at swing lows.
    const sign = swing.kind === "high" ? 1 : -1
    const price = sign * (swing.price - previous.price)
    const strength = sign * (oscillator[swing.index]! - oscillator[previous.index]!)
    if (price * strength >= 0) continue
    found.push({
      kind: price > 0 ? "regular" : "hidden",
      bias: swing.kind === "high" ? "bearish" : "bullish",
      from: previous,
      to: swing,
      knownAt: swing.knownAt
    })
  }
  return found
}
