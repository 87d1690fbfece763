/**
 * The half-open interval `[from, to)` in epoch milliseconds. A read ignores the part of the interval that is after the
 * present.
 */
export interface Interval {
  readonly from: number
  readonly to: number
}

/**
 * A request for the points of a series at the multiples of `stepMs` (in epoch ms) within an interval. `stepMs` must
 * divide a day.
 */
export interface SteppedInterval extends Interval {
  readonly stepMs: number
}

/** A half-open interval that was not recorded. It is unknown whether events occurred in a gap. */
export type Gap = Interval

/**
 * A series at regular times, oldest first, without duplicates.
 *
 * A series of prices or rates has no point at a time in a gap. A bucket `[time, time + stepMs)` of counts or sums is
 * missing if it lies completely within gaps. A bucket that partly overlaps a gap counts only recorded data, so its
 * value is a lower bound. A bucket without events contains zeros.
 */
export interface Series<A> {
  readonly points: ReadonlyArray<A>
  /** The gaps that overlap the requested interval, cut to the interval, disjoint, oldest first. */
  readonly gaps: ReadonlyArray<Gap>
}

/** Returns whether a gap overlaps `[from, to)`. */
export const overlapsGap = (gaps: ReadonlyArray<Gap>, from: number, to: number): boolean =>
  gaps.some((gap) => gap.from < to && gap.to > from)
