/**
 * Intervals and stepped series, with the gaps that outages leave in them.
 */

/** The half-open interval `[from, to)` in epoch milliseconds; what lies after the present is left out. */
export interface Interval {
  readonly from: number
  readonly to: number
}

/** A question for a series on a grid: `stepMs` divides a day, and the grid's instants are its multiples since 1970. */
export interface Stepped extends Interval {
  readonly stepMs: number
}

/** A half-open interval in which nothing was recorded: what happened then is unknown, which is not nothing. */
export type Gap = Interval

/**
 * A series on a grid, oldest first, without duplicates.
 *
 * A point at an instant (`Stepped` series of prices or rates) is missing where a gap holds it. A bucket
 * `[time, time + stepMs)` (counts and sums) is missing when gaps hold it whole; one that a gap touches counts what was
 * recorded, so that it is a lower bound. A bucket in which nothing happened is there, with zeros.
 */
export interface Series<A> {
  readonly points: ReadonlyArray<A>
  /** Those that touch the interval asked for, cut to it; oldest first, apart from one another. */
  readonly gaps: ReadonlyArray<Gap>
}

/** Whether gaps touch `[from, to)`. */
export const touchesGap = (gaps: ReadonlyArray<Gap>, from: number, to: number): boolean =>
  gaps.some((gap) => gap.from < to && gap.to > from)
