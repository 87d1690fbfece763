/** Draws the high and the low of a path with known points, between which the path can go beyond the points. */
import { drawBridgeMinimum, drawFarthestDistance, type PathPoint } from "./bridge.ts"
import type { BarPath, Corridor } from "./model.ts"

/** The exponent of a negligible probability: exp(-16) is about 1e-7. */
const negligibleExponent = 16

/** Returns whether a bridge may reach a level at the distances `from` and `to` from its ends. */
const canReach = (from: number, to: number, variance: number): boolean => 2 * from * to < negligibleExponent * variance

/** The points of a partly planned path, including its ends. */
export interface PlannedPoints {
  readonly count: number
  readonly positions: Float64Array
  readonly values: Float64Array
}

/** The high or the low of a path, with the index of the part that must reach the extreme, or -1 if no part must. */
export interface PathExtreme {
  readonly value: number
  readonly part: number
}

/** Draws the low (`sign` 1) or the high (-1) of part `i`, where `touchedPoint` is the opposite extreme in the part. */
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
  // Rounding must not move the extreme past the bound, or between the ends of the part.
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

/** Draws the low (`sign` 1) or the high (-1) of a path, and returns the extreme with the part that contains it. */
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

/** Returns the lowest (`sign` 1) or the highest (-1) of a path's points, including the ends. */
const getOutermostPoint = (sign: 1 | -1, { open, points }: FreePath): number => {
  let lowest = sign * open
  for (let i = 0; i < points.length; i++) lowest = Math.min(lowest, sign * points[i]!)
  return sign * lowest
}

/** The exponent of an impossible event: exp(-25) is about 1e-11. */
const impossibleExponent = 25

/** Returns whether a path with known points may fall below a level (`sign` 1) or rise above a level (-1). */
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

/** The exponent of a rare event (exp(-4) is about 2 %), which a part must not reach. */
const rareExponent = 4

/**
 * The limits of the parts of an unbounded path, chosen so that few parts must be planned to find the path's extremes.
 * Parts that would rarely pass the outermost point must not pass the outermost point, which hardly changes the
 * distribution of the path.
 */
export class PartLimits {
  readonly #path: FreePath
  /** Returns the low (`sign` 1) or the high (-1) of a part. */
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
   * Returns the extreme of the parts next to the outermost point. The opposite bounds of the parts do not depend on the
   * result, so the computation of the bounds ends.
   */
  #getReach(sign: 1 | -1): number {
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
    if (!this.#canPass(level, part)) return level
    if (this.#isAdjacentTo(opposite, part)) return -sign * Infinity
    const reach = this.#getReach(sign)
    return this.#canPass(reach, part) ? -sign * Infinity : reach
  }

  getCorridor(part: number): Corridor {
    return { low: this.#getBound(1, part), high: this.#getBound(-1, part), touchesLow: false, touchesHigh: false }
  }

  /** Returns the low (`sign` 1) or the high (-1) of the path. */
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
