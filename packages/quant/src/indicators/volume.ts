import {
  checkBarSeries,
  checkFinite,
  checkFiniteSeries,
  checkInteger,
  checkNotNegative,
  checkNotNegativeSeries,
  checkSameLength,
  checkWithin,
  type Series
} from "../check.ts"

/** The result of {@link vwapBands}. */
export interface VwapBands {
  readonly vwap: Float64Array
  /** The volume-weighted standard deviation of the typical price from the VWAP, in price units. */
  readonly deviation: Float64Array
  readonly upper: Float64Array
  readonly lower: Float64Array
}

/**
 * Volume-weighted average price since its anchor.
 *
 * Formula: `sum(typical * volume) / sum(volume)`, typical = (high + low + close) / 3. Unit: the unit of the prices.
 * `session` contains any number for each bar, such as the day. The sums restart at each bar whose number in `session`
 * differs from the number of the previous bar. By default, all bars are one session. Until a session has volume, its
 * VWAP is the bar's typical price. The VWAP is defined from the first bar on, without a warm-up.
 * Source: Berkowitz, Logue and Noser, The Total Cost of Transactions on the NYSE (1988), anchored per session.
 *
 * @throws RangeError when lengths differ, a value is not finite, a volume is negative, or a high is below its low.
 * @example
 * import { vwap } from "@tapeline/quant"
 * vwap([11, 13, 21], [9, 11, 19], [10, 12, 20], [1, 3, 5], [1, 1, 2]) // => [10, 11.5, 20]
 */
export function vwap(high: Series, low: Series, close: Series, volume: Series, session?: Series): Float64Array {
  const out = new Float64Array(close.length)
  computeWeighted("vwap", high, low, close, volume, session, out, undefined)
  return out
}

/**
 * VWAP with bands of k volume-weighted standard deviations.
 *
 * Formula: `variance = sum(volume * (typical - vwap)^2) / sum(volume)` (West's update, no cancellation),
 * `upper, lower = vwap +- k * sqrt(variance)`. Unit: the unit of the prices. Sessions work as in {@link vwap}.
 * Source: West, Updating Mean and Variance Estimates (1979).
 *
 * @throws RangeError as {@link vwap}, or when k is negative or not finite.
 * @example
 * import { vwapBands } from "@tapeline/quant"
 * const bands = vwapBands([10, 14], [10, 14], [10, 14], [1, 1], 2)
 * bands.vwap // => [10, 12]
 * bands.upper // => [10, 16]
 * bands.lower // => [10, 8]
 */
export function vwapBands(
  high: Series,
  low: Series,
  close: Series,
  volume: Series,
  k = 1,
  session?: Series
): VwapBands {
  checkNotNegative("vwapBands", "k", k)
  const length = close.length
  const mean = new Float64Array(length)
  const deviation = new Float64Array(length)
  computeWeighted("vwapBands", high, low, close, volume, session, mean, deviation)
  const upper = new Float64Array(length)
  const lower = new Float64Array(length)
  for (let i = 0; i < length; i++) {
    upper[i] = mean[i]! + k * deviation[i]!
    lower[i] = mean[i]! - k * deviation[i]!
  }
  return { vwap: mean, deviation, upper, lower }
}

function computeWeighted(
  where: string,
  high: Series,
  low: Series,
  close: Series,
  volume: Series,
  session: Series | undefined,
  mean: Float64Array,
  deviation: Float64Array | undefined
): void {
  checkBarSeries(where, high, low, close)
  checkSameLength(where, "prices and volume", close.length, volume)
  checkNotNegativeSeries(where, "volume", volume)
  if (session !== undefined) {
    checkSameLength(where, "prices and session", close.length, session)
    checkFiniteSeries(where, "session", session)
  }
  // The weight, the mean and the sum of squared deviations of the current session.
  const state = new Float64Array(3)
  for (let from = 0; from < close.length; from += BLOCK) {
    computeWeightedBlock(
      high,
      low,
      close,
      volume,
      session,
      mean,
      deviation,
      state,
      from,
      Math.min(from + BLOCK, close.length)
    )
  }
}

const BLOCK = 1024

/** Computes the volume-weighted average prices, and optionally the standard deviations, of one block of bars. */
function computeWeightedBlock(
  high: Series,
  low: Series,
  close: Series,
  volume: Series,
  session: Series | undefined,
  mean: Float64Array,
  deviation: Float64Array | undefined,
  state: Float64Array,
  from: number,
  to: number
): void {
  // The running values are in an array, so that the compiler does not box them.
  let weight = state[0]!
  let centre = state[1]!
  let square = state[2]!
  for (let i = from; i < to; i++) {
    if (session !== undefined && i > 0 && session[i] !== session[i - 1]) {
      weight = 0
      square = 0
    }
    const typical = (high[i]! + low[i]! + close[i]!) / 3
    const w = volume[i]!
    if (weight === 0) centre = typical
    if (w > 0) {
      const deviationBefore = typical - centre
      weight += w
      centre += (deviationBefore * w) / weight
      square += w * deviationBefore * (typical - centre)
    }
    mean[i] = centre
    if (deviation !== undefined) deviation[i] = square > 0 ? Math.sqrt(square / weight) : 0
  }
  state[0] = weight
  state[1] = centre
  state[2] = square
}

/** One price bin of a {@link VolumeProfile}. */
export interface VolumeBin {
  readonly low: number
  readonly high: number
  readonly volume: number
}

/** The traded volume by price. */
export interface VolumeProfile {
  readonly bins: ReadonlyArray<VolumeBin>
  /**
   * The point of control: the middle price of the bin with the most volume. If several bins have the most volume, the
   * lowest of these bins counts.
   */
  readonly poc: number
  readonly valueArea: { readonly low: number; readonly high: number }
  readonly volume: number
}

/**
 * Volume profile: volume by price, with point of control and value area.
 *
 * Method: each bar's volume is spread evenly over its range. The whole price range is divided into `bins` bins of equal
 * width. The value area grows from the point of control until it contains `share` of the volume. Each step adds the
 * neighbouring bin with more volume. If both neighbouring bins have the same volume, the step adds the upper bin. Unit:
 * the units of the given prices and volumes. Returns null without bars or volume. If all prices are equal, the profile
 * has one bin.
 * Source: Steidlmayer's Market Profile, with volume in place of time.
 *
 * @throws RangeError when bins or share is out of bounds, lengths differ, a value is not finite, a volume is negative,
 * or a high is below its low.
 * @example
 * import { volumeProfile } from "@tapeline/quant"
 * const profile = volumeProfile([2, 3, 4], [1, 2, 3], [10, 50, 20], 3)
 * profile.poc // => 2.5
 * profile.valueArea // => { low: 2, high: 4 }
 */
export function volumeProfile(high: Series, low: Series, volume: Series, bins = 24, share = 0.7): VolumeProfile | null {
  checkInteger("volumeProfile", "bins", bins, 1)
  checkFinite("volumeProfile", "share", share)
  checkWithin("volumeProfile", "share", share, 0, 1)
  checkBarSeries("volumeProfile", high, low, high)
  checkSameLength("volumeProfile", "high, low and volume", high.length, volume)
  checkNotNegativeSeries("volumeProfile", "volume", volume)
  let bottom = Infinity
  let top = -Infinity
  let total = 0
  for (let i = 0; i < high.length; i++) {
    bottom = Math.min(bottom, low[i]!)
    top = Math.max(top, high[i]!)
    total += volume[i]!
  }
  if (!(total > 0)) return null
  const count = top > bottom ? bins : 1
  const width = (top - bottom) / count
  const getBin = (price: number): number =>
    width > 0 ? Math.min(count - 1, Math.max(0, Math.floor((price - bottom) / width))) : 0
  // Whole bins inside a bar's range are stored as steps of the density and summed afterwards, which costs O(1) per bar.
  const binVolume = new Float64Array(count)
  const densityStep = new Float64Array(count + 1)
  for (let i = 0; i < high.length; i++) {
    const v = volume[i]!
    if (v === 0) continue
    const from = getBin(low[i]!)
    const to = getBin(high[i]!)
    if (from === to) {
      binVolume[from] = binVolume[from]! + v
      continue
    }
    const density = v / (high[i]! - low[i]!)
    binVolume[from] = binVolume[from]! + density * (bottom + (from + 1) * width - low[i]!)
    binVolume[to] = binVolume[to]! + density * (high[i]! - (bottom + to * width))
    densityStep[from + 1] = densityStep[from + 1]! + density * width
    densityStep[to] = densityStep[to]! - density * width
  }
  let running = 0
  let peak = 0
  for (let j = 0; j < count; j++) {
    running += densityStep[j]!
    binVolume[j] = Math.max(0, binVolume[j]! + running)
    if (binVolume[j]! > binVolume[peak]! * (1 + 1e-12)) peak = j
  }
  let first = peak
  let last = peak
  let areaVolume = binVolume[peak]!
  while (areaVolume < share * total && (first > 0 || last < count - 1)) {
    const below = first > 0 ? binVolume[first - 1]! : -1
    const above = last < count - 1 ? binVolume[last + 1]! : -1
    if (above >= below) areaVolume += binVolume[++last]!
    else areaVolume += binVolume[--first]!
  }
  const getBinEdge = (j: number): number => (j === count ? top : bottom + j * width)
  return {
    bins: Array.from(binVolume, (v, j) => ({ low: getBinEdge(j), high: getBinEdge(j + 1), volume: v })),
    poc: (getBinEdge(peak) + getBinEdge(peak + 1)) / 2,
    valueArea: { low: getBinEdge(first), high: getBinEdge(last + 1) },
    volume: total
  }
}
