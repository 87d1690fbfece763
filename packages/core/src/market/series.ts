/** Intervals, and series on a grid with the gaps of outages. */

/** The half-open interval `[from, to)` in epoch milliseconds. Times after the present are ignored. */
export interface Interval {
  readonly from: number
  readonly to: number
}

/** A query for a series on a grid. `stepMs` divides a day, and the grid consists of its multiples since 1970. */
export interface SteppedInterval extends Interval {
  readonly stepMs: number
}

/** A half-open interval without records. Its events are unknown, so it does not mean that nothing happened. */
export type Gap = Interval

/**
 * A series on a grid, oldest first, without duplicates.
 *
 * A point at a time (series of prices or rates) is missing if it is in a gap. A bucket `[time, time + stepMs)` (counts
 * and sums) is missing if gaps cover it completely. A bucket that overlaps a gap counts only what was recorded, so its
 * value is a lower bound. A bucket without events is present, with zeros.
 */
export interface Series<A> {
  readonly points: ReadonlyArray<A>
  /** The gaps that overlap the requested interval, cut to it, disjoint, oldest first. */
  readonly gaps: ReadonlyArray<Gap>
}

/** True if a gap overlaps `[from, to)`. */
export const overlapsGap = (gaps: ReadonlyArray<Gap>, from: number, to: number): boolean =>
  gaps.some((gap) => gap.from < to && gap.to > from)
