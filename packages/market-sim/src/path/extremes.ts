/** The high and the low of a path with known points. The bridges between the points reach beyond them. */
import { bridgeMinimum, farthestFromExtreme, type PathPoint } from "./bridge.ts"
import type { Corridor, Path } from "./model.ts"

/**
 * The exponent of a negligible probability, e to minus this (2e-7). If a level is reached with a smaller probability, a
 * bridge counts as not reaching the level.
 */
const negligibleExponent = 16

/** Returns whether a bridge may reach a level. `from` and `to` are the distances of its ends from the level. */
const mayReach = (from: number, to: number, variance: number): boolean => 2 * from * to < negligibleExponent * variance

/** A partly planned path: `ats` and `values` of its points, including the ends. */
export interface Points {
  readonly count: number
  readonly ats: Float64Array
  readonly values: Float64Array
}

/** The high or the low of a path, and the part that contains it. The part is -1 if no part must reach the extreme. */
export interface Extreme {
  readonly value: number
  readonly part: number
}

/**
 * The extreme of part `i`, which is not fixed to this extreme. `touched` is the opposite extreme if the part contains
 * it.
 */
const partExtreme = (
  sign: 1 | -1,
  { ats, values }: Points,
  i: number,
  variance: number,
  bound: number,
  touched: PathPoint | undefined,
  u: number
): number => {
  const from = values[i]!
  const to = values[i + 1]!
  if (touched === undefined) {
    return sign * bridgeMinimum(sign * from, sign * to, variance * (ats[i + 1]! - ats[i]!), sign * bound, u)
  }
  const distance = farthestFromExtreme(
    sign * (touched.value - from),
    sign * (touched.value - to),
    variance * Math.max(0, touched.at - ats[i]!),
    variance * Math.max(0, ats[i + 1]! - touched.at),
    sign * (touched.value - bound),
    u
  )
  // Rounding must not move the extreme past the bound, or between the part's ends.
  return sign === 1
    ? Math.max(bound, Math.min(from, to, touched.value - distance))
    : Math.min(bound, Math.max(from, to, touched.value + distance))
}

/** The index of the part that contains a touched point, or -1 without a point. */
export const partOf = ({ ats, count }: Points, point: PathPoint | undefined): number => {
  if (point === undefined) return -1
  let i = 0
  while (i < count - 1 && point.at >= ats[i + 1]!) i++
  return i
}

/**
 * The low (`sign` 1) or the high (-1) of a path that is not fixed to it, and the part that contains it. `draw` returns
 * the uniform number of a part.
 */
export const extremeOf = (
  sign: 1 | -1,
  points: Points,
  variance: number,
  bound: number,
  opposite: PathPoint | undefined,
  draw: (part: number) => number
): Extreme => {
  const { count, ats, values } = points
  const oppositeIn = partOf(points, opposite)
  // In terms of minima: the lowest value so far is one of the points.
  let lowest = Infinity
  for (let i = 0; i <= count; i++) lowest = Math.min(lowest, sign * values[i]!)
  let part = -1
  for (let i = 0; i < count; i++) {
    // A part that is too far from the extreme so far needs no random number.
    const isEnd = sign * values[i]! <= lowest || sign * values[i + 1]! <= lowest
    const partVariance = variance * (ats[i + 1]! - ats[i]!)
    if (!isEnd && !mayReach(sign * values[i]! - lowest, sign * values[i + 1]! - lowest, partVariance)) continue
    const touched = oppositeIn === i ? opposite : undefined
    const extreme = sign * partExtreme(sign, points, i, variance, bound, touched, draw(i))
    if (part < 0 ? extreme <= lowest : extreme < lowest) {
      lowest = extreme
      part = i
    }
  }
  return { value: sign * lowest, part }
}

type FreePath = Pick<Path, "open" | "points" | "shares" | "variance">

/** The lowest (`sign` 1) or the highest (-1) of a path's points, including the ends. */
const outermost = (sign: 1 | -1, { open, points }: FreePath): number => {
  let lowest = sign * open
  for (let i = 0; i < points.length; i++) lowest = Math.min(lowest, sign * points[i]!)
  return sign * lowest
}

/**
 * The exponent of the probability of an impossible event, e to minus this (1e-11). If a level is passed with a smaller
 * probability, a path counts as not passing the level.
 */
const impossibleExponent = 25

/** Returns whether a path with these points may fall below a level (`sign` 1) or rise above it (-1). */
export const mayPass = (sign: 1 | -1, { open, points, shares, variance }: FreePath, level: number): boolean => {
  let from = open
  for (const [part, to] of points.entries()) {
    const [above, beyond] = [sign * (from - level), sign * (to - level)]
    if (above <= 0 || beyond <= 0 || 2 * above * beyond < impossibleExponent * variance * shares[part]!) return true
    from = to
  }
  return false
}

/**
 * The exponent of the probability of a rare event, e to minus this (2 %). A part that passes a level with a smaller
 * probability stays within the level.
 */
const rareExponent = 4

/**
 * The limits of the parts of an unbounded path, and its extremes. Parts that begin or end at the outermost point are
 * free. Another part stays within this point, or within the reach of the free parts next to it, if it would rarely
 * pass. The law of the path hardly changes, and few parts have to be planned to find its extremes.
 */
export class PartLimits {
  readonly #path: FreePath
  /** The low (`sign` 1) or the high (-1) of a part. */
  readonly #extremeIn: (sign: 1 | -1, part: number) => number
  readonly #lowest: number
  readonly #highest: number
  #lowReach: number | undefined
  #highReach: number | undefined

  constructor(path: FreePath, extremeIn: (sign: 1 | -1, part: number) => number) {
    this.#path = path
    this.#extremeIn = extremeIn
    this.#lowest = outermost(1, path)
    this.#highest = outermost(-1, path)
  }

  #from(part: number): number {
    return part === 0 ? this.#path.open : this.#path.points[part - 1]!
  }

  #isNextTo(level: number, part: number): boolean {
    return this.#from(part) === level || this.#path.points[part] === level
  }

  #mayPass(level: number, part: number): boolean {
    const { points, shares, variance } = this.#path
    return 2 * (level - this.#from(part)) * (level - points[part]!) < rareExponent * variance * shares[part]!
  }

  /** The reach of the parts next to the outermost point. The bound of these parts on the other side needs no reach. */
  #reach(sign: 1 | -1): number {
    const known = sign === 1 ? this.#lowReach : this.#highReach
    if (known !== undefined) return known
    const level = sign === 1 ? this.#lowest : this.#highest
    let reach = level
    for (let i = 0; i < this.#path.points.length; i++) {
      if (this.#isNextTo(level, i)) reach = sign * Math.min(sign * reach, sign * this.#extremeIn(sign, i))
    }
    if (sign === 1) this.#lowReach = reach
    else this.#highReach = reach
    return reach
  }

  #boundOf(sign: 1 | -1, part: number): number {
    const [level, opposite] = sign === 1 ? [this.#lowest, this.#highest] : [this.#highest, this.#lowest]
    if (this.#isNextTo(level, part)) return -sign * Infinity
    if (!this.#mayPass(level, part)) return level
    if (this.#isNextTo(opposite, part)) return -sign * Infinity
    const reach = this.#reach(sign)
    return this.#mayPass(reach, part) ? -sign * Infinity : reach
  }

  corridorOf(part: number): Corridor {
    return { low: this.#boundOf(1, part), high: this.#boundOf(-1, part), touchesLow: false, touchesHigh: false }
  }

  /** The low (`sign` 1) or the high (-1) of the path. */
  extreme(sign: 1 | -1): number {
    const level = sign === 1 ? this.#lowest : this.#highest
    let lowest = sign * this.#reach(sign)
    for (let i = 0; i < this.#path.points.length; i++) {
      if (this.#isNextTo(level, i) || Math.abs(this.#boundOf(sign, i)) !== Infinity) continue
      lowest = Math.min(lowest, sign * this.#extremeIn(sign, i))
    }
    return sign * lowest
  }
}
