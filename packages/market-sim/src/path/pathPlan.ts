/**
 * Plans the price path of a bar: the prices at the ends of the bar's parts, and the bar's high and low.
 *
 * The high and the low of a bar longer than an hour are computed from the bar's parts. Only parts that can contain the
 * high or the low are planned. In a shorter bar, the high and the low are drawn before the parts are planned. The part
 * that contains the high or the low of a shorter bar must reach exactly this price.
 */
import type { Draws, DriverWeights } from "../kernel/Drivers.ts"
import { normalQuantile } from "../kernel/random.ts"
import { drawCorridorPoint, drawExtremePosition, isFartherBefore, maxProposals, type PathPoint } from "./bridge.ts"
import { drawExtreme, findPart, PartLimits, type PathExtreme, type PlannedPoints } from "./extremes.ts"
import { fiveMinuteSeconds, hourSeconds, maxParts } from "./intervalLadder.ts"
import type { BarEnds, BarModel, BarPath, Corridor, MutableBar } from "./model.ts"

export const unboundedCorridor: Corridor = { low: -Infinity, high: Infinity, touchesLow: false, touchesHigh: false }

/** The maximum length, in seconds, of a bar whose high and low are drawn before its parts are planned. */
// In longer bars, the returns of one part would predict the returns of another part.
const maxPinnedSeconds = hourSeconds

/** The standard deviation of the random noise in the logarithm of a part's variance. */
const cascadeSd = 0.5
/** The probability that one part has most of the variance of its bar. */
const burstProbability = 0.012
const burstSize = 2.2
/** The increase of a part's log variance after a price fall of one standard deviation in the preceding part. */
const leverage = 0.3

// Each part of a bar uses its own block of random-number slots. The slots of the whole bar follow after all blocks.
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
const firstWholePathSlot = maxParts * slotsPerPart
const wholePathSlot = {
  highPlace: firstWholePathSlot,
  lowPlace: firstWholePathSlot + 3,
  lowSide: firstWholePathSlot + 6
}
/** The first random-number slot for the division of a bar's volume among its parts. */
export const firstTradeSlot = firstWholePathSlot + 10
/** The first random-number slot after the slots for price paths and for divisions of volume. */
export const firstFreeSlot = firstTradeSlot + 2 * maxParts

/**
 * The number of consecutive parts with the same random factor in their variance. In bars with at most `minGroupedParts`
 * parts, each part has its own factor.
 */
const groupSize = 4
const minGroupedParts = 12

/** Draws the relative variance of each part of a bar. */
const drawVarianceWeights = (
  ends: BarEnds,
  lengths: ReadonlyArray<number>,
  model: BarModel,
  draws: Draws
): Array<number> => {
  const weights: Array<number> = []
  const drawNoise = (base: number, variance: number, burst: number): number =>
    Math.exp(
      cascadeSd * normalQuantile(draws.firstDriverUniform(base + variance))
        + (draws.firstDriverUniform(base + burst) < burstProbability ? burstSize : 0)
    )
  let start = ends.start
  let group = 1
  for (let i = 0; i < lengths.length; i++) {
    const base = i * slotsPerPart
    if (lengths.length > minGroupedParts && i % groupSize === 0) {
      group = drawNoise(base, slot.groupVariance, slot.groupBurst)
    }
    weights.push(group * model.getActivity(start, lengths[i]!) * drawNoise(base, slot.variance, slot.burst))
    start += lengths[i]!
  }
  return weights
}

/** The points at which a path must reach its highest or its lowest allowed price. */
interface TouchPoints {
  readonly high: PathPoint | undefined
  readonly low: PathPoint | undefined
}

const noTouchPoints: TouchPoints = { high: undefined, low: undefined }

const drawTouchPoints = (ends: BarEnds, corridor: Corridor, draws: Draws): TouchPoints => {
  if (!corridor.touchesHigh && !corridor.touchesLow) return noTouchPoints
  const { open, close, variance } = ends
  const drawPosition = (da: number, db: number, share: number, at: number): number =>
    drawExtremePosition(
      da,
      db,
      variance * share,
      // The square of the normal number rises with the shared uniform number, so that instruments have extremes at
      // similar positions.
      normalQuantile((1 + draws.uniform(at)) / 2),
      draws.uniform(at + 1),
      draws.uniform(at + 2)
    )
  let high: PathPoint | undefined
  let low: PathPoint | undefined
  if (corridor.touchesHigh) {
    high = {
      position: drawPosition(corridor.high - open, corridor.high - close, 1, wholePathSlot.highPlace),
      value: corridor.high
    }
  }
  if (corridor.touchesLow && high === undefined) {
    low = {
      position: drawPosition(open - corridor.low, close - corridor.low, 1, wholePathSlot.lowPlace),
      value: corridor.low
    }
  } else if (corridor.touchesLow && high !== undefined) {
    const range = corridor.high - corridor.low
    const isBeforeHigh = isFartherBefore(
      range,
      corridor.high - open,
      corridor.high - close,
      variance * high.position,
      variance * (1 - high.position),
      draws.uniform(wholePathSlot.lowSide)
    )
    const position = isBeforeHigh
      ? high.position * drawPosition(open - corridor.low, range, high.position, wholePathSlot.lowPlace)
      : high.position +
        (1 - high.position) * drawPosition(range, close - corridor.low, 1 - high.position, wholePathSlot.lowPlace)
    low = { position, value: corridor.low }
  }
  return { high, low }
}

/** Arrays that every plan reuses, because only one plan is computed at a time. */
const scratch = { positions: new Float64Array(maxParts + 1), values: new Float64Array(maxParts + 1) }

const makeDraft = (
  { previousMarketReturn, close, marketReturn, mix, open, seconds, start, variance }: BarEnds,
  { high, highPart, marketReturns, low, lowPart, points, shares }: Omit<BarPath, keyof BarEnds>
): MutableBar => ({
  start,
  seconds,
  open,
  close,
  variance,
  mix,
  marketReturn,
  previousMarketReturn,
  high,
  low,
  points,
  shares,
  marketReturns,
  highPart,
  lowPart,
  volume: NaN,
  takerBuyVolume: NaN,
  value: NaN,
  takerBuyPerLogPoint: NaN,
  pendingTakerBuy: NaN,
  settledTakerBuy: NaN
})

const makeUndividedDraft = (ends: BarEnds, { high, low, touchesHigh, touchesLow }: Corridor): MutableBar =>
  makeDraft(ends, {
    high: touchesHigh ? high : Math.max(ends.open, ends.close),
    low: touchesLow ? low : Math.min(ends.open, ends.close),
    points: [],
    shares: [],
    marketReturns: [],
    highPart: -1,
    lowPart: -1
  })

export const planPath = (ends: BarEnds, corridor: Corridor, model: BarModel, draws: Draws): MutableBar => {
  const { open, close, variance } = ends
  const lengths = model.getPartLengths(ends.seconds)
  if (lengths === undefined) return makeUndividedDraft(ends, corridor)
  const weights = drawVarianceWeights(ends, lengths, model, draws)
  let remainingWeight = 0
  for (const weight of weights) remainingWeight += weight
  const touchPoints = drawTouchPoints(ends, corridor, draws)
  const points: PlannedPoints = { ...scratch, count: lengths.length }
  const { positions, count, values } = points
  positions[0] = 0
  values[0] = open
  const marketReturns: Array<number> = []
  let remainingMarketReturn = ends.marketReturn
  let before = ends.previousMarketReturn
  for (let i = 0; i < count - 1; i++) {
    const from = positions[i]!
    // After a fall, the next part has a larger share of the remaining variance.
    // The share depends on the market return, which is equal for all instruments of a market. With different shares,
    // the parts of two instruments would not correspond in time.
    const tiltedWeight = weights[i]! * Math.exp(-leverage * Math.max(-3, Math.min(3, before)))
    remainingWeight = Math.max(0, remainingWeight - weights[i]!)
    const at = from + (1 - from) * tiltedWeight / (tiltedWeight + remainingWeight)
    positions[i + 1] = at
    values[i + 1] = drawPointBetween(points, i, at, ends, corridor, touchPoints, draws)
    const step = (at - from) / (1 - from) * remainingMarketReturn
      + Math.sqrt((at - from) * (1 - at) / (1 - from)) * draws.marketReturn(i * slotsPerPart + slot.point)
    remainingMarketReturn -= step
    before = standardise(step, at - from)
    marketReturns.push(before)
  }
  marketReturns.push(standardise(remainingMarketReturn, 1 - positions[count - 1]!))
  positions[count] = 1
  values[count] = close
  const shares: Array<number> = weights
  for (let i = 0; i < count; i++) shares[i] = positions[i + 1]! - positions[i]!
  const prices: Array<number> = []
  for (let i = 1; i <= count; i++) prices.push(values[i]!)
  const path = { points: prices, shares, marketReturns }
  if (ends.seconds > fiveMinuteSeconds) return new LazyDraft(ends, path, corridor, lengths, model, draws)
  const high = corridor.touchesHigh
    ? { value: corridor.high, part: findPart(points, touchPoints.high) }
    : drawFreeExtreme(-1, points, variance, corridor, touchPoints.low, draws)
  const low = corridor.touchesLow
    ? { value: corridor.low, part: findPart(points, touchPoints.low) }
    : drawFreeExtreme(1, points, variance, corridor, touchPoints.high, draws)
  return makeDraft(ends, { ...path, high: high.value, low: low.value, highPart: high.part, lowPart: low.part })
}

/** Draws the low of a bar if `sign` is 1, or the high of the bar if `sign` is -1. */
const drawFreeExtreme = (
  sign: 1 | -1,
  points: PlannedPoints,
  variance: number,
  corridor: Pick<Corridor, "high" | "low">,
  opposite: PathPoint | undefined,
  draws: Draws
): PathExtreme => {
  const extremeSlot = sign === 1 ? slot.low : slot.high
  const bound = sign === 1 ? corridor.low : corridor.high
  return drawExtreme(
    sign,
    points,
    variance,
    bound,
    opposite,
    (part) => draws.uniform(part * slotsPerPart + extremeSlot)
  )
}

/** The planned path of a bar longer than five minutes. The high and the low are computed when they are first read. */
class LazyDraft implements MutableBar {
  readonly start: number
  readonly seconds: number
  readonly open: number
  readonly close: number
  readonly variance: number
  readonly mix: DriverWeights
  readonly marketReturn: number
  readonly previousMarketReturn: number
  readonly points: ReadonlyArray<number>
  readonly shares: ReadonlyArray<number>
  readonly marketReturns: ReadonlyArray<number>
  volume = NaN
  takerBuyVolume = NaN
  value = NaN
  takerBuyPerLogPoint = NaN
  pendingTakerBuy = NaN
  settledTakerBuy = NaN
  readonly #corridor: Corridor
  readonly #lengths: ReadonlyArray<number>
  readonly #model: BarModel
  readonly #draws: Draws
  #limits: PartLimits | undefined
  #highest: PathExtreme | undefined
  #lowest: PathExtreme | undefined

  constructor(
    ends: BarEnds,
    path: Pick<BarPath, "points" | "shares" | "marketReturns">,
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
    this.marketReturn = ends.marketReturn
    this.previousMarketReturn = ends.previousMarketReturn
    this.points = path.points
    this.shares = path.shares
    this.marketReturns = path.marketReturns
    this.#corridor = corridor
    this.#lengths = lengths
    this.#model = model
    this.#draws = draws
  }

  #getPartLimits(): PartLimits {
    return this.#limits ??= new PartLimits(this, (sign, index) => {
      let start = this.start
      for (let i = 0; i < index; i++) start += this.#lengths[i]!
      const part = planPart(this, this.#lengths, index, start, this.#model)
      return sign === 1 ? part.low : part.high
    })
  }

  getCorridor(part: number): Corridor {
    return this.seconds > maxPinnedSeconds ? this.#getPartLimits().getCorridor(part) : makePinnedCorridor(this, part)
  }

  #computeExtreme(sign: 1 | -1): PathExtreme {
    if (this.seconds > maxPinnedSeconds) return { value: this.#getPartLimits().getExtreme(sign), part: -1 }
    const points: PlannedPoints = { ...scratch, count: this.points.length }
    points.positions[0] = 0
    points.values[0] = this.open
    for (let i = 0; i < points.count; i++) {
      points.positions[i + 1] = points.positions[i]! + this.shares[i]!
      points.values[i + 1] = this.points[i]!
    }
    return drawFreeExtreme(sign, points, this.variance, this.#corridor, undefined, this.#draws)
  }

  get high(): number {
    return (this.#highest ??= this.#computeExtreme(-1)).value
  }

  get low(): number {
    return (this.#lowest ??= this.#computeExtreme(1)).value
  }

  get highPart(): number {
    return (this.#highest ??= this.#computeExtreme(-1)).part
  }

  get lowPart(): number {
    return (this.#lowest ??= this.#computeExtreme(1)).part
  }
}

/** Returns the price limits of a part, in a bar with a known high and a known low. */
const makePinnedCorridor = ({ high, highPart, low, lowPart }: BarPath, part: number): Corridor => ({
  low,
  high,
  touchesLow: part === lowPart,
  touchesHigh: part === highPart
})

/** Plans the path of the bar part at `index`. Computes neither volumes nor the paths of other parts. */
export const planPart = (
  bar: BarPath,
  lengths: ReadonlyArray<number>,
  index: number,
  start: number,
  model: BarModel
): MutableBar => {
  const seconds = lengths[index]!
  const ends: BarEnds = {
    start,
    seconds,
    open: index === 0 ? bar.open : bar.points[index - 1]!,
    close: bar.points[index]!,
    variance: bar.variance * bar.shares[index]!,
    mix: bar.mix,
    marketReturn: bar.marketReturns[index]!,
    previousMarketReturn: index === 0 ? bar.previousMarketReturn : bar.marketReturns[index - 1]!
  }
  const corridor = bar instanceof LazyDraft ? bar.getCorridor(index) : makePinnedCorridor(bar, index)
  return planPath(ends, corridor, model, model.getDraws(start, seconds, bar.mix))
}

/** Draws the price of a path at position `at`. Point `i` is the last planned point before `at`. */
const drawPointBetween = (
  { positions, values }: PlannedPoints,
  i: number,
  at: number,
  { close, variance }: BarEnds,
  corridor: Corridor,
  touchPoints: TouchPoints,
  draws: Draws
): number => {
  let leftAt = positions[i]!
  let left = values[i]!
  let rightAt = 1
  let right = close
  for (let k = 0; k < 2; k++) {
    const point = k === 0 ? touchPoints.high : touchPoints.low
    if (point === undefined) continue
    if (point.position > leftAt && point.position <= at) {
      leftAt = point.position
      left = point.value
    }
    if (point.position > at && point.position < rightAt) {
      rightAt = point.position
      right = point.value
    }
  }
  const base = i * slotsPerPart
  return drawCorridorPoint(
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

const standardise = (change: number, variance: number): number => variance > 0 ? change / Math.sqrt(variance) : 0
