/** The half-open interval `[from, to)` in epoch milliseconds, of which times after the present are ignored. */
export interface Interval {
  readonly from: number
  readonly to: number
}

/** A query for a series at the multiples of `stepMs`, which divides a day, since 1970. */
export interface SteppedInterval extends Interval {
  readonly stepMs: number
}

/** A half-open interval without records, whose events are unknown. */
export type Gap = Interval

/**
 * A series at regular times, oldest first, without duplicates.
 *
 * A point of prices or rates is missing if its time is in a gap. A bucket `[time, time + stepMs)` of counts and sums is
 * missing if gaps cover it completely. A bucket that overlaps a gap counts only what was recorded, so its value is a
 * lower bound. A bucket without events has zeros.
 */
export interface Series<A> {
  readonly points: ReadonlyArray<A>
  /** The gaps that overlap the requested interval, cut to the interval, disjoint, oldest first. */
  readonly gaps: ReadonlyArray<Gap>
}

/** Returns whether a gap overlaps `[from, to)`. */
export const overlapsGap = (gaps: ReadonlyArray<Gap>, from: number, to: number): boolean =>
  gaps.some((gap) => gap.from < to && gap.to > from)
