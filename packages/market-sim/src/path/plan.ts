/**
 * Plans of paths: where the price goes between two ends, one step of the ladder ahead.
 *
 * The points between the parts are drawn, and which part holds the high and the low. The part that holds one is pinned
 * to it, and its own points are drawn from the law of a path with that extreme; the others are free below it. Hence the
 * highs and lows of the parts are those of the bar at every scale, no bar needs to look at what is finer than its own
 * parts, and most points are plain bridge points, which keep the correlation that instruments have through their common
 * drivers.
 */
import type { Draws } from "../kernel/factors.ts"
import { normalQuantile } from "../kernel/random.ts"
import { bridgeExtremePlace, corridorPoint, fartherSide, maxProposals, type PathPoint } from "./bridge.ts"
import { extremeOf, partOf, type Points } from "./extremes.ts"
import { mostParts } from "./ladder.ts"

/** A bar's two ends and what the path between them is given. */
export interface Ends {
  /** Opening instant, whole seconds since 1970, and length in seconds. */
  readonly start: number
  readonly seconds: number
  /** Logarithms of price; a bar's close is the next bar's open. */
  readonly open: number
  readonly close: number
  /** Variance of the log return that the bar owns. */
  readonly variance: number
  /** Standardised return of what went before, at the bar's own scale: volatility leans against it. */
  readonly before: number
}

/** A planned path: the bar's extremes, the points between its parts, and which parts hold the extremes. */
export interface Path extends Ends {
  readonly high: number
  readonly low: number
  /** Log prices at the ends of the parts (the last is the close), and their shares of the variance. */
  readonly points: ReadonlyArray<number>
  readonly shares: ReadonlyArray<number>
  readonly highIn: number
  readonly lowIn: number
}

/** What was traded in a bar: whole numbers of the instrument's units. */
export interface Trade {
  readonly volume: number
  /** Units of volume that were bought by takers. */
  readonly bought: number
  /** Units of value. */
  readonly value: number
  /** Units that takers buy rather than sell for each log point that the price rises, over half (see `takers.ts`). */
  readonly boughtPerRise: number
  /** What they have still to buy at the bar's start, having seen the price rise, and what they buy at its very end. */
  readonly owed: number
  readonly settled: number
}

/** What an instrument's bars need to know of it. */
export interface BarModel {
  /** Expected trading activity of an interval, in any unit: the time-of-day profile. */
  readonly activity: (start: number, seconds: number) => number
  /** The price shown for a log price: monotone, so extremes stay extremes. */
  readonly price: (logPrice: number) => number
  /** Value of one unit of volume at price 1, in units of value. */
  readonly valueScale: number
  /** Lengths of the parts of an interval, in order; undefined when it has none. */
  readonly partsOf: (seconds: number) => ReadonlyArray<number> | undefined
  /** The numbers of an interval. */
  readonly draws: (start: number, seconds: number) => Draws
}

/** What a path must obey: bounds of its extremes, and whether it must touch them. */
export interface Corridor {
  readonly low: number
  readonly high: number
  readonly touchesLow: boolean
  readonly touchesHigh: boolean
}

/** Standard deviation of the logarithm of a part's share of variance. */
const cascadeSd = 0.5
/** Now and then one part takes most of its bar's variance: what a chart shows as a jump. */
const burstChance = 0.012
const burstSize = 2.2
/** How strongly volatility rises after a fall of one standard deviation, in log points. */
const leverage = 0.3

// Slots of the draws: each part has a block of its own, what concerns the whole bar comes after all of them.
const slotsPerPart = 40
const slot = { variance: 0, burst: 1, high: 2, low: 3, side: 4, point: 5, accept: 5 + 3 * maxProposals }
const wholeSlot = mostParts * slotsPerPart
const whole = { highPlace: wholeSlot, lowPlace: wholeSlot + 3, lowSide: wholeSlot + 6 }
/** The first slot of a bar's draws for the division of its trade. */
export const tradeSlot = wholeSlot + 10
/** The first slot of a bar's draws that no path and no division of volume uses. */
export const freeSlot = tradeSlot + 2 * mostParts

/** Weights of the parts in the variance: activity of the time of day, the cascade's noise, bursts. */
const weightsOf = (ends: Ends, lengths: ReadonlyArray<number>, model: BarModel, draws: Draws): Array<number> => {
  const weights: Array<number> = []
  let start = ends.start
  for (let i = 0; i < lengths.length; i++) {
    const base = i * slotsPerPart
    const burst = draws.common(base + slot.burst) < burstChance ? burstSize : 0
    weights.push(
      model.activity(start, lengths[i]!) *
        Math.exp(cascadeSd * normalQuantile(draws.common(base + slot.variance)) + burst)
    )
    start += lengths[i]!
  }
  return weights
}

/** Where a path touches the bounds that it must touch. */
interface Touches {
  readonly high: PathPoint | undefined
  readonly low: PathPoint | undefined
}

const untouched: Touches = { high: undefined, low: undefined }

const touches = (ends: Ends, corridor: Corridor, draws: Draws): Touches => {
  if (!corridor.touchesHigh && !corridor.touchesLow) return untouched
  const { open, close, variance } = ends
  const place = (da: number, db: number, share: number, at: number): number =>
    bridgeExtremePlace(
      da,
      db,
      variance * share,
      // Only its square counts: taken as a rising function of the shared number, so that places are shared too.
      normalQuantile((1 + draws.uniform(at)) / 2),
      draws.uniform(at + 1),
      draws.uniform(at + 2)
    )
  let high: PathPoint | undefined
  let low: PathPoint | undefined
  if (corridor.touchesHigh) {
    high = { at: place(corridor.high - open, corridor.high - close, 1, whole.highPlace), value: corridor.high }
  }
  if (corridor.touchesLow && high === undefined) {
    low = { at: place(open - corridor.low, close - corridor.low, 1, whole.lowPlace), value: corridor.low }
  } else if (corridor.touchesLow && high !== undefined) {
    const range = corridor.high - corridor.low
    const first = fartherSide(
      range,
      corridor.high - open,
      corridor.high - close,
      variance * high.at,
      variance * (1 - high.at),
      draws.uniform(whole.lowSide)
    )
    const at = first
      ? high.at * place(open - corridor.low, range, high.at, whole.lowPlace)
      : high.at + (1 - high.at) * place(range, close - corridor.low, 1 - high.at, whole.lowPlace)
    low = { at, value: corridor.low }
  }
  return { high, low }
}

/** What a plan is written into while it grows; one at a time, and nothing of it outlives the plan. */
const scratch = { ats: new Float64Array(mostParts + 1), values: new Float64Array(mostParts + 1) }

/** A bar whose trade is still to be filled in: numbers that nobody knows yet. */
export type Draft = Path & { -readonly [K in keyof Trade]: Trade[K] }

/** The plan of a bar too short to have parts. */
const undivided = (
  { before, close, open, seconds, start, variance }: Ends,
  { high, low, touchesHigh, touchesLow }: Corridor
): Draft => ({
  start,
  seconds,
  open,
  close,
  variance,
  before,
  high: touchesHigh ? high : Math.max(open, close),
  low: touchesLow ? low : Math.min(open, close),
  points: [],
  shares: [],
  highIn: -1,
  lowIn: -1,
  volume: NaN,
  bought: NaN,
  value: NaN,
  boughtPerRise: NaN,
  owed: NaN,
  settled: NaN
})

/** Plans the path between two ends within a corridor. */
export const plan = (ends: Ends, corridor: Corridor, model: BarModel, draws: Draws): Draft => {
  const { start, seconds, open, close, variance } = ends
  const lengths = model.partsOf(ends.seconds)
  if (lengths === undefined) return undivided(ends, corridor)
  const weights = weightsOf(ends, lengths, model, draws)
  let weightLeft = 0
  for (const weight of weights) weightLeft += weight
  const touch = touches(ends, corridor, draws)
  const points: Points = { ...scratch, count: lengths.length }
  const { ats, count, values } = points
  ats[0] = 0
  values[0] = open
  let before = ends.before
  for (let i = 0; i < count - 1; i++) {
    const from = ats[i]!
    // Leverage: what fell just now makes this part take more of what variance is left.
    const tilted = weights[i]! * Math.exp(-leverage * Math.max(-3, Math.min(3, before)))
    weightLeft = Math.max(0, weightLeft - weights[i]!)
    const at = from + (1 - from) * tilted / (tilted + weightLeft)
    ats[i + 1] = at
    values[i + 1] = between(points, i, at, ends, corridor, touch, draws)
    before = standardised(values[i + 1]! - values[i]!, variance * (at - from))
  }
  ats[count] = 1
  values[count] = close
  const high = corridor.touchesHigh
    ? { value: corridor.high, part: partOf(points, touch.high) }
    : extremeOf(-1, points, variance, corridor.high, touch.low, (i) => draws.uniform(i * slotsPerPart + slot.high))
  const low = corridor.touchesLow
    ? { value: corridor.low, part: partOf(points, touch.low) }
    : extremeOf(1, points, variance, corridor.low, touch.high, (i) => draws.uniform(i * slotsPerPart + slot.low))
  const shares: Array<number> = weights
  for (let i = 0; i < count; i++) shares[i] = ats[i + 1]! - ats[i]!
  return {
    start,
    seconds,
    open,
    close,
    variance,
    before: ends.before,
    high: high.value,
    low: low.value,
    points: Array.from(values.subarray(1, count + 1)),
    shares,
    highIn: high.part,
    lowIn: low.part,
    volume: NaN,
    bought: NaN,
    value: NaN,
    boughtPerRise: NaN,
    owed: NaN,
    settled: NaN
  }
}

/** The price at `at`, right after point `i` of a plan. */
const between = (
  { ats, values }: Points,
  i: number,
  at: number,
  { close, variance }: Ends,
  corridor: Corridor,
  touch: Touches,
  draws: Draws
): number => {
  let leftAt = ats[i]!
  let left = values[i]!
  let rightAt = 1
  let right = close
  for (let k = 0; k < 2; k++) {
    const point = k === 0 ? touch.high : touch.low
    if (point === undefined) continue
    if (point.at > leftAt && point.at <= at) {
      leftAt = point.at
      left = point.value
    }
    if (point.at > at && point.at < rightAt) {
      rightAt = point.at
      right = point.value
    }
  }
  const base = i * slotsPerPart
  return corridorPoint(
    left,
    right,
    variance * (at - leftAt),
    variance * (rightAt - at),
    corridor,
    draws,
    base + slot.point,
    base + slot.accept
  )
}

export const standardised = (change: number, variance: number): number =>
  variance > 0 ? change / Math.sqrt(variance) : 0
