/**
 * The high and the low of a path whose points are known: bridges between them reach farther than they do.
 */
import { bridgeMinimum, farthestFromExtreme, type PathPoint } from "./bridge.ts"

/** Standard deviations beyond both ends that a bridge is taken not to stray (the chance is e^-18). */
const negligibleReach = 3

/** A path as far as it is planned: `ats` and `values` of its points, the ends included. */
export interface Points {
  readonly count: number
  readonly ats: Float64Array
  readonly values: Float64Array
}

/** The extreme of part `i`, which is not pinned there; `touched` is the opposite one, where the part holds it. */
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
  // Rounding must not carry it past the bound, nor within the part's ends.
  return sign === 1
    ? Math.max(bound, Math.min(from, to, touched.value - distance))
    : Math.min(bound, Math.max(from, to, touched.value + distance))
}

/** Which part holds a point that is touched; -1 when there is none. */
export const partOf = ({ ats, count }: Points, point: PathPoint | undefined): number => {
  if (point === undefined) return -1
  let i = 0
  while (i < count - 1 && point.at >= ats[i + 1]!) i++
  return i
}

/**
 * The part that holds the low (`sign` 1) or the high (-1) of a path that is not pinned to it, and that extreme; `draw`
 * gives a part's uniform number.
 */
export const extremeOf = (
  sign: 1 | -1,
  points: Points,
  variance: number,
  bound: number,
  opposite: PathPoint | undefined,
  draw: (part: number) => number
): { readonly value: number; readonly part: number } => {
  const { count, ats, values } = points
  const oppositeIn = partOf(points, opposite)
  // In terms of minima: what lies lowest so far is one of the points.
  let lowest = Infinity
  for (let i = 0; i <= count; i++) lowest = Math.min(lowest, sign * values[i]!)
  let part = -1
  for (let i = 0; i < count; i++) {
    const nearest = Math.min(sign * values[i]!, sign * values[i + 1]!)
    // A part whose ends lie this far from the extreme so far does not reach it: no number is drawn.
    if (nearest - negligibleReach * Math.sqrt(variance * (ats[i + 1]! - ats[i]!)) > lowest) continue
    const touched = oppositeIn === i ? opposite : undefined
    const extreme = sign * partExtreme(sign, points, i, variance, bound, touched, draw(i))
    if (part < 0 ? extreme <= lowest : extreme < lowest) {
      lowest = extreme
      part = i
    }
  }
  return { value: sign * lowest, part }
}
