/** Draws the high and the low of a path that is known only at some points. */
import { drawBridgeMinimum, drawFarthestDistance, type PathPoint } from "./bridge.ts"
import type { BarPath, Corridor } from "./model.ts"

/** Events with a probability below exp(-16), about 1e-7, are ignored. */
const negligibleExponent = 16

/**
 * Returns whether a bridge can reach a level. `from` and `to` are the distances between the bridge's ends and the
 * level.
 */
const canReach = (from: number, to: number, variance: number): boolean => 2 * from * to < negligibleExponent * variance

/** The known points of a path, including the start and the end of the path. */
export interface PlannedPoints {
  readonly count: number
  readonly positions: Float64Array
  readonly values: Float64Array
}

/** The high or the low of a path. `part` is the index of the part that must reach the price, or -1 for no part. */
export interface PathExtreme {
  readonly value: number
  readonly part: number
}

/**
 * Draws the low of part `i` if `sign` is 1, or the high if `sign` is -1. `touchedPoint` is the opposite extreme of the
 * path, if part `i` contains this extreme.
 */
const drawPartExtreme = (
  sign: 1 | -1,
  { positions, values }: PlannedPoints,
  i: number,
  variance: number,
  bound: number,
  touchedPoint: PathPoint | undefined,
  u: number
): number => {
  const from = values[i]!
  const to = values[i + 1]!
  if (touchedPoint === undefined) {
    return sign *
      drawBridgeMinimum(sign * from, sign * to, variance * (positions[i + 1]! - positions[i]!), sign * bound, u)
  }
  const distance = drawFarthestDistance(
    sign * (touchedPoint.value - from),
    sign * (touchedPoint.value - to),
    variance * Math.max(0, touchedPoint.position - positions[i]!),
    variance * Math.max(0, positions[i + 1]! - touchedPoint.position),
    sign * (touchedPoint.value - bound),
    u
  )
  // Without these limits, rounding could move the extreme past `bound`, or to a price between the ends of the part.
  return sign === 1
    ? Math.max(bound, Math.min(from, to, touchedPoint.value - distance))
    : Math.min(bound, Math.max(from, to, touchedPoint.value + distance))
}

/** Returns the index of the part that contains a point, or -1 if the point is undefined. */
export const findPart = ({ positions, count }: PlannedPoints, point: PathPoint | undefined): number => {
  if (point === undefined) return -1
  let i = 0
  while (i < count - 1 && point.position >= positions[i + 1]!) i++
  return i
}

/** Draws the low of a path if `sign` is 1, or the high of the path if `sign` is -1. */
export const drawExtreme = (
  sign: 1 | -1,
  points: PlannedPoints,
  variance: number,
  bound: number,
  opposite: PathPoint | undefined,
  draw: (part: number) => number
): PathExtreme => {
  const { count, positions, values } = points
  const oppositePart = findPart(points, opposite)
  // Values are multiplied by `sign`, so each extreme is a minimum.
  let lowest = Infinity
  for (let i = 0; i <= count; i++) lowest = Math.min(lowest, sign * values[i]!)
  let part = -1
  for (let i = 0; i < count; i++) {
    // A part that is too far from the current extreme needs no random number.
    const isEnd = sign * values[i]! <= lowest || sign * values[i + 1]! <= lowest
    const partVariance = variance * (positions[i + 1]! - positions[i]!)
    if (!isEnd && !canReach(sign * values[i]! - lowest, sign * values[i + 1]! - lowest, partVariance)) continue
    const touchedPoint = oppositePart === i ? opposite : undefined
    const extreme = sign * drawPartExtreme(sign, points, i, variance, bound, touchedPoint, draw(i))
    if (part < 0 ? extreme <= lowest : extreme < lowest) {
      lowest = extreme
      part = i
    }
  }
  return { value: sign * lowest, part }
}

type FreePath = Pick<BarPath, "open" | "points" | "shares" | "variance">

/** Returns the lowest known price of a path if `sign` is 1, or the highest known price if `sign` is -1. */
const getOutermostPoint = (sign: 1 | -1, { open, points }: FreePath): number => {
  let lowest = sign * open
  for (let i = 0; i < points.length; i++) lowest = Math.min(lowest, sign * points[i]!)
  return sign * lowest
}

/** Events with a probability below exp(-25), about 1e-11, count as impossible. */
const impossibleExponent = 25

/** Returns whether a path can fall below `level` if `sign` is 1, or rise above `level` if `sign` is -1. */
export const canPass = (sign: 1 | -1, { open, points, shares, variance }: FreePath, level: number): boolean => {
  let from = open
  for (const [part, to] of points.entries()) {
    const [distanceFrom, distanceTo] = [sign * (from - level), sign * (to - level)]
    if (
      distanceFrom <= 0 || distanceTo <= 0 ||
      2 * distanceFrom * distanceTo < impossibleExponent * variance * shares[part]!
    ) return true
    from = to
  }
  return false
}

/** Events with a probability below exp(-4), about 2 %, count as rare. */
const rareExponent = 4

/**
 * Limits the prices in the parts of a path, so that only a few parts must be planned to find the path's high and low.
 * If a part would rarely pass the path's highest or lowest known price, the part must not pass the price.
 */
export class PartLimits {
  readonly #path: FreePath
  /** Returns the low of a part if `sign` is 1, or the high of the part if `sign` is -1. */
  readonly #getPartExtreme: (sign: 1 | -1, part: number) => number
  readonly #lowest: number
  readonly #highest: number
  #lowReach: number | undefined
  #highReach: number | undefined

  constructor(path: FreePath, getPartExtreme: (sign: 1 | -1, part: number) => number) {
    this.#path = path
    this.#getPartExtreme = getPartExtreme
    this.#lowest = getOutermostPoint(1, path)
    this.#highest = getOutermostPoint(-1, path)
  }

  #getPartStart(part: number): number {
    return part === 0 ? this.#path.open : this.#path.points[part - 1]!
  }

  #isAdjacentTo(level: number, part: number): boolean {
    return this.#getPartStart(part) === level || this.#path.points[part] === level
  }

  #canPass(level: number, part: number): boolean {
    const { points, shares, variance } = this.#path
    return 2 * (level - this.#getPartStart(part)) * (level - points[part]!) < rareExponent * variance * shares[part]!
  }

  /**
   * Finds the path's lowest or highest known price, and returns the low or the high of the parts next to this price.
   */
  #getReach(sign: 1 | -1): number {
    // The recursion ends, because `#getBound` for the opposite side never calls `#getReach` for parts next to the
    // extreme.
    const known = sign === 1 ? this.#lowReach : this.#highReach
    if (known !== undefined) return known
    const level = sign === 1 ? this.#lowest : this.#highest
    let reach = level
    for (let i = 0; i < this.#path.points.length; i++) {
      if (this.#isAdjacentTo(level, i)) reach = sign * Math.min(sign * reach, sign * this.#getPartExtreme(sign, i))
    }
    if (sign === 1) this.#lowReach = reach
    else this.#highReach = reach
    return reach
  }

  #getBound(sign: 1 | -1, part: number): number {
    const [level, opposite] = sign === 1 ? [this.#lowest, this.#highest] : [this.#highest, this.#lowest]
    if (this.#isAdjacentTo(level, part)) return -sign * Infinity
    // A part that rarely passes `level` must not pass `level`. This simplification hardly changes the distribution of
    // the path.
    if (!this.#canPass(level, part)) return level
    if (this.#isAdjacentTo(opposite, part)) return -sign * Infinity
    const reach = this.#getReach(sign)
    return this.#canPass(reach, part) ? -sign * Infinity : reach
  }

  getCorridor(part: number): Corridor {
    return { low: this.#getBound(1, part), high: this.#getBound(-1, part), touchesLow: false, touchesHigh: false }
  }

  /** Returns the low of the path if `sign` is 1, or the high of the path if `sign` is -1. */
  getExtreme(sign: 1 | -1): number {
    const level = sign === 1 ? this.#lowest : this.#highest
    let lowest = sign * this.#getReach(sign)
    for (let i = 0; i < this.#path.points.length; i++) {
      if (this.#isAdjacentTo(level, i) || Math.abs(this.#getBound(sign, i)) !== Infinity) continue
      lowest = Math.min(lowest, sign * this.#getPartExtreme(sign, i))
    }
    return sign * lowest
  }
}
