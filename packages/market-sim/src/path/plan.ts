/**
 * Plans of paths: the prices between two ends, one step of the ladder at a time.
 *
 * A plan draws the points between the parts. The high and the low of a bar of hours are the extremes of its hours. Only
 * the hours near its highest and its lowest point are planned. The high and the low of an hour or a shorter bar are
 * drawn after its points, together with the parts that contain them. Such a part is pinned to the extreme: its points
 * are drawn from the law of a path with this extreme. The other parts stay within the extremes. The extremes of a bar
 * therefore equal those of its parts on every scale, and a coarse candle visits few fine ones.
 */
import type { Draws, Mix } from "../kernel/factors.ts"
import { normalQuantile } from "../kernel/random.ts"
import { bridgeExtremePlace, corridorPoint, fartherSide, maxProposals, type PathPoint } from "./bridge.ts"
import { type Extreme, extremeOf, PartLimits, partOf, type Points } from "./extremes.ts"
import { fiveMinutes, hour, mostParts } from "./ladder.ts"
import type { BarModel, Corridor, Draft, Ends, Path } from "./model.ts"

/** The corridor of an unbounded path. */
export const free: Corridor = { low: -Infinity, high: Infinity, touchesLow: false, touchesHigh: false }

/**
 * The longest bar, in seconds, whose extremes are drawn before its parts, which are then pinned to them. Each
 * instrument draws its own extremes. The points inside a pinned bar therefore correlate less with other instruments
 * than its ends do. Returns of one part would predict those of another part. Points at least five minutes apart are
 * never pinned.
 */
const longestPinned = hour

/** The standard deviation of the logarithm of a part's share of variance. */
const cascadeSd = 0.5
/** The probability that one part has most of its bar's variance, which a chart shows as a jump. */
const burstChance = 0.012
const burstSize = 2.2
/** The rise of volatility after a fall of one standard deviation, in log points. */
const leverage = 0.3

// Slots of the draws: each part has its own block. The slots of the whole bar follow after all blocks.
const slotsPerPart = 40
const acceptSlot = 5 + 3 * maxProposals
const slot = {
  variance: 0,
  burst: 1,
  high: 2,
  low: 3,
  groupVariance: 4,
  point: 5,
  accept: acceptSlot,
  groupBurst: acceptSlot + maxProposals
}
const wholeSlot = mostParts * slotsPerPart
const whole = { highPlace: wholeSlot, lowPlace: wholeSlot + 3, lowSide: wholeSlot + 6 }
/** The first slot of a bar's draws for the division of its trade. */
export const tradeSlot = wholeSlot + 10
/** The first slot of a bar's draws that neither paths nor divisions of volume use. */
export const freeSlot = tradeSlot + 2 * mostParts

/** A bar of more than `groupedAbove` parts clusters on one more scale: the parts of a group share a factor. */
const groupSize = 4
const groupedAbove = 12

/** The weights of the parts in the variance: activity of the time of day, noise of the cascade, bursts. */
const weightsOf = (ends: Ends, lengths: ReadonlyArray<number>, model: BarModel, draws: Draws): Array<number> => {
  const weights: Array<number> = []
  const noise = (base: number, variance: number, burst: number): number =>
    Math.exp(
      cascadeSd * normalQuantile(draws.common(base + variance))
        + (draws.common(base + burst) < burstChance ? burstSize : 0)
    )
  let start = ends.start
  let group = 1
  for (let i = 0; i < lengths.length; i++) {
    const base = i * slotsPerPart
    if (lengths.length > groupedAbove && i % groupSize === 0) {
      group = noise(base, slot.groupVariance, slot.groupBurst)
    }
    weights.push(group * model.activity(start, lengths[i]!) * noise(base, slot.variance, slot.burst))
    start += lengths[i]!
  }
  return weights
}

/** The points at which a path touches the bounds that it must touch. */
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
      // Only the square of the number counts. The number rises with the shared uniform one, so that places are shared
      // too.
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

/** The arrays of the plan in progress. Only one plan at a time uses them, and nothing in them outlives it. */
const scratch = { ats: new Float64Array(mostParts + 1), values: new Float64Array(mostParts + 1) }

/** A planned path without a trade. */
const draftOf = (
  { before, close, lead, mix, open, seconds, start, variance }: Ends,
  { high, highIn, leads, low, lowIn, points, shares }: Omit<Path, keyof Ends>
): Draft => ({
  start,
  seconds,
  open,
  close,
  variance,
  mix,
  lead,
  before,
  high,
  low,
  points,
  shares,
  leads,
  highIn,
  lowIn,
  volume: NaN,
  bought: NaN,
  value: NaN,
  boughtPerRise: NaN,
  owed: NaN,
  settled: NaN
})

/** The plan of a bar that is too short to have parts. */
const undivided = (ends: Ends, { high, low, touchesHigh, touchesLow }: Corridor): Draft =>
  draftOf(ends, {
    high: touchesHigh ? high : Math.max(ends.open, ends.close),
    low: touchesLow ? low : Math.min(ends.open, ends.close),
    points: [],
    shares: [],
    leads: [],
    highIn: -1,
    lowIn: -1
  })

/** Plans the path between two ends within a corridor. */
export const plan = (ends: Ends, corridor: Corridor, model: BarModel, draws: Draws): Draft => {
  const { open, close, variance } = ends
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
  const leads: Array<number> = []
  let leadLeft = ends.lead
  let before = ends.before
  for (let i = 0; i < count - 1; i++) {
    const from = ats[i]!
    // Leverage: after a fall, this part has a larger share of the remaining variance.
    const tilted = weights[i]! * Math.exp(-leverage * Math.max(-3, Math.min(3, before)))
    weightLeft = Math.max(0, weightLeft - weights[i]!)
    const at = from + (1 - from) * tilted / (tilted + weightLeft)
    ats[i + 1] = at
    values[i + 1] = between(points, i, at, ends, corridor, touch, draws)
    const step = (at - from) / (1 - from) * leadLeft
      + Math.sqrt((at - from) * (1 - at) / (1 - from)) * draws.lead(i * slotsPerPart + slot.point)
    leadLeft -= step
    before = standardised(step, at - from)
    leads.push(before)
  }
  leads.push(standardised(leadLeft, 1 - ats[count - 1]!))
  ats[count] = 1
  values[count] = close
  const shares: Array<number> = weights
  for (let i = 0; i < count; i++) shares[i] = ats[i + 1]! - ats[i]!
  const prices: Array<number> = []
  for (let i = 1; i <= count; i++) prices.push(values[i]!)
  const path = { points: prices, shares, leads }
  if (ends.seconds > fiveMinutes) return new LongDraft(ends, path, corridor, lengths, model, draws)
  const high = corridor.touchesHigh
    ? { value: corridor.high, part: partOf(points, touch.high) }
    : drawnExtreme(-1, points, variance, corridor, touch.low, draws)
  const low = corridor.touchesLow
    ? { value: corridor.low, part: partOf(points, touch.low) }
    : drawnExtreme(1, points, variance, corridor, touch.high, draws)
  return draftOf(ends, { ...path, high: high.value, low: low.value, highIn: high.part, lowIn: low.part })
}

/** The low (`sign` 1) or the high (-1) of a bar that does not have to touch it. */
const drawnExtreme = (
  sign: 1 | -1,
  points: Points,
  variance: number,
  corridor: Pick<Corridor, "high" | "low">,
  opposite: PathPoint | undefined,
  draws: Draws
): Extreme => {
  const first = sign === 1 ? slot.low : slot.high
  const bound = sign === 1 ? corridor.low : corridor.high
  return extremeOf(sign, points, variance, bound, opposite, (part) => draws.uniform(part * slotsPerPart + first))
}

/**
 * The plan of a bar longer than five minutes, which never has to touch an extreme. The extremes are computed on their
 * first read, since the price at a time does not need them.
 */
class LongDraft implements Draft {
  readonly start: number
  readonly seconds: number
  readonly open: number
  readonly close: number
  readonly variance: number
  readonly mix: Mix
  readonly lead: number
  readonly before: number
  readonly points: ReadonlyArray<number>
  readonly shares: ReadonlyArray<number>
  readonly leads: ReadonlyArray<number>
  volume = NaN
  bought = NaN
  value = NaN
  boughtPerRise = NaN
  owed = NaN
  settled = NaN
  readonly #corridor: Corridor
  readonly #lengths: ReadonlyArray<number>
  readonly #model: BarModel
  readonly #draws: Draws
  #limits: PartLimits | undefined
  #highest: Extreme | undefined
  #lowest: Extreme | undefined

  constructor(
    ends: Ends,
    path: Pick<Path, "points" | "shares" | "leads">,
    corridor: Corridor,
    lengths: ReadonlyArray<number>,
    model: BarModel,
    draws: Draws
  ) {
    this.start = ends.start
    this.seconds = ends.seconds
    this.open = ends.open
    this.close = ends.close
    this.variance = ends.variance
    this.mix = ends.mix
    this.lead = ends.lead
    this.before = ends.before
    this.points = path.points
    this.shares = path.shares
    this.leads = path.leads
    this.#corridor = corridor
    this.#lengths = lengths
    this.#model = model
    this.#draws = draws
  }

  #partLimits(): PartLimits {
    return this.#limits ??= new PartLimits(this, (sign, index) => {
      let start = this.start
      for (let i = 0; i < index; i++) start += this.#lengths[i]!
      const part = planPart(this, this.#lengths, index, start, this.#model)
      return sign === 1 ? part.low : part.high
    })
  }

  corridorOf(part: number): Corridor {
    return this.seconds > longestPinned ? this.#partLimits().corridorOf(part) : pinnedCorridor(this, part)
  }

  #extreme(sign: 1 | -1): Extreme {
    if (this.seconds > longestPinned) return { value: this.#partLimits().extreme(sign), part: -1 }
    const points: Points = { ...scratch, count: this.points.length }
    points.ats[0] = 0
    points.values[0] = this.open
    for (let i = 0; i < points.count; i++) {
      points.ats[i + 1] = points.ats[i]! + this.shares[i]!
      points.values[i + 1] = this.points[i]!
    }
    return drawnExtreme(sign, points, this.variance, this.#corridor, undefined, this.#draws)
  }

  get high(): number {
    return (this.#highest ??= this.#extreme(-1)).value
  }

  get low(): number {
    return (this.#lowest ??= this.#extreme(1)).value
  }

  get highIn(): number {
    return (this.#highest ??= this.#extreme(-1)).part
  }

  get lowIn(): number {
    return (this.#lowest ??= this.#extreme(1)).part
  }
}

/** The corridor of a part, in a bar whose extremes were drawn before its parts. */
const pinnedCorridor = ({ high, highIn, low, lowIn }: Path, part: number): Corridor => ({
  low,
  high,
  touchesLow: part === lowIn,
  touchesHigh: part === highIn
})

/** The path of one part of a bar, without its trade. The other parts are not needed. */
export const planPart = (
  bar: Path,
  lengths: ReadonlyArray<number>,
  index: number,
  start: number,
  model: BarModel
): Draft => {
  const seconds = lengths[index]!
  const ends: Ends = {
    start,
    seconds,
    open: index === 0 ? bar.open : bar.points[index - 1]!,
    close: bar.points[index]!,
    variance: bar.variance * bar.shares[index]!,
    mix: bar.mix,
    lead: bar.leads[index]!,
    before: index === 0 ? bar.before : bar.leads[index - 1]!
  }
  const corridor = bar instanceof LongDraft ? bar.corridorOf(index) : pinnedCorridor(bar, index)
  return plan(ends, corridor, model, model.draws(start, seconds, bar.mix))
}

/** The price at `at`, directly after point `i` of a plan. */
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

const standardised = (change: number, variance: number): number => variance > 0 ? change / Math.sqrt(variance) : 0
