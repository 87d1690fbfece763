import type { Interval } from "@tapeline/core/market"
import type { SourceResponse } from "../source/index.ts"

/** The age at which an absent bucket no longer counts as late. */
const settledMs = 600_000

/** The present time at the source: the earlier of its clock and ours. */
export const sourceTimeOf = ({ date, receivedAt }: Pick<SourceResponse<unknown>, "date" | "receivedAt">): number =>
  Math.min(date ?? receivedAt, receivedAt)

/**
 * Returns the time up to which an answer of whole buckets is complete. This is the interval's end, if it is old enough
 * or was returned. Otherwise it is the end of the last bucket, because a late bucket looks like a missing one.
 */
export const completeUntil = (
  { from, to }: Interval,
  { answer, maxBuckets, stepMs, times }: {
    readonly answer: Pick<SourceResponse<unknown>, "date" | "receivedAt">
    /** The times of the returned buckets, ascending. */
    readonly times: ReadonlyArray<number>
    /** The maximum number of buckets in one answer. */
    readonly maxBuckets: number
    readonly stepMs: number
  }
): number => {
  const last = times.at(-1)
  const returnedUntil = last === undefined ? from : last + stepMs
  if (times.length >= maxBuckets) return Math.min(returnedUntil, to)
  const settled = Math.floor((sourceTimeOf(answer) - settledMs) / stepMs) * stepMs
  return Math.max(from, Math.min(to, Math.max(returnedUntil, settled)))
}
