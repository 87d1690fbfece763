import { assert } from "@effect/vitest"
import type { Gap, Stepped } from "@tapeline/core/market"

/** Multiples of the step in `[from, to)`, none after `until`. */
export const instantsIn = ({ from, stepMs, to }: Stepped, until: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let time = Math.ceil(from / stepMs) * stepMs; time < to && time <= until; time += stepMs) times.push(time)
  return times
}

/** Openings of the whole buckets that touch `[from, to)` and have ended by `until`. */
export const bucketsIn = ({ from, stepMs, to }: Stepped, until: number): ReadonlyArray<number> =>
  instantsIn({ from: Math.floor(from / stepMs) * stepMs, to, stepMs }, until - stepMs)

/** Whether gaps hold an instant. */
export const holdsGap = (gaps: ReadonlyArray<Gap>, time: number): boolean =>
  gaps.some((gap) => gap.from <= time && time < gap.to)

/** Whether a gap holds what was asked for of a bucket. */
export const holdsBucket = (gaps: ReadonlyArray<Gap>, time: number, { from, stepMs, to }: Stepped): boolean =>
  gaps.some((gap) => gap.from <= Math.max(time, from) && Math.min(time + stepMs, to) <= gap.to)

/** An outage is told as a gap, and none of these times lies in it. */
export const isOutage = (outage: Gap, gaps: ReadonlyArray<Gap>, times: ReadonlyArray<number>): void => {
  assert.isTrue(gaps.some(({ from, to }) => from <= outage.from && outage.to <= to), "the outage is no gap")
  assert.deepStrictEqual(times.filter((time) => holdsGap([outage], time)), [])
}
