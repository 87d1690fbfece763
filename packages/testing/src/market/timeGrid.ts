import { assert } from "@effect/vitest"
import type { Gap, SteppedInterval } from "@tapeline/core/market"

/** Multiples of the step in `[from, to)`, at most `until`. */
export const getInstants = ({ from, stepMs, to }: SteppedInterval, until: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let time = Math.ceil(from / stepMs) * stepMs; time < to && time <= until; time += stepMs) times.push(time)
  return times
}

/** Openings of the complete buckets that touch `[from, to)` and have ended by `until`. */
export const getBuckets = ({ from, stepMs, to }: SteppedInterval, until: number): ReadonlyArray<number> =>
  getInstants({ from: Math.floor(from / stepMs) * stepMs, to, stepMs }, until - stepMs)

/** Whether a gap contains an instant. */
export const isInGap = (gaps: ReadonlyArray<Gap>, time: number): boolean =>
  gaps.some((gap) => gap.from <= time && time < gap.to)

/** Whether a gap contains the requested part of a bucket. */
export const isBucketInGap = (gaps: ReadonlyArray<Gap>, time: number, { from, stepMs, to }: SteppedInterval): boolean =>
  gaps.some((gap) => gap.from <= Math.max(time, from) && Math.min(time + stepMs, to) <= gap.to)

/** Checks that an outage is reported as a gap, and contains no data. */
export const assertOutage = (outage: Gap, gaps: ReadonlyArray<Gap>, times: ReadonlyArray<number>): void => {
  assert.isTrue(gaps.some(({ from, to }) => from <= outage.from && outage.to <= to), "the outage is not a gap")
  assert.deepStrictEqual(times.filter((time) => isInGap([outage], time)), [])
}
