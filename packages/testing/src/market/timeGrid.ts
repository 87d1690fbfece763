import { assert } from "@effect/vitest"
import type { Gap, SteppedInterval } from "@tapeline/core/market"

/** Returns the multiples of `stepMs` in the interval `[from, to)` that are at most `until`. */
export const getInstants = ({ from, stepMs, to }: SteppedInterval, until: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let time = Math.ceil(from / stepMs) * stepMs; time < to && time <= until; time += stepMs) times.push(time)
  return times
}

/** Returns the opening times of the complete buckets that overlap `[from, to)` and have ended by `until`. */
export const getBuckets = ({ from, stepMs, to }: SteppedInterval, until: number): ReadonlyArray<number> =>
  getInstants({ from: Math.floor(from / stepMs) * stepMs, to, stepMs }, until - stepMs)

export const isInGap = (gaps: ReadonlyArray<Gap>, time: number): boolean =>
  gaps.some((gap) => gap.from <= time && time < gap.to)

/**
 * Returns whether a bucket lies completely inside one gap. If a bucket extends beyond the requested interval, only the
 * part inside the interval counts.
 */
export const isBucketInGap = (gaps: ReadonlyArray<Gap>, time: number, { from, stepMs, to }: SteppedInterval): boolean =>
  gaps.some((gap) => gap.from <= Math.max(time, from) && Math.min(time + stepMs, to) <= gap.to)

/** Checks that an outage is reported as a gap, and that the outage contains no data. */
export const assertOutage = (outage: Gap, gaps: ReadonlyArray<Gap>, times: ReadonlyArray<number>): void => {
  assert.isTrue(gaps.some(({ from, to }) => from <= outage.from && outage.to <= to), "the outage is not a gap")
  assert.deepStrictEqual(times.filter((time) => isInGap([outage], time)), [])
}
