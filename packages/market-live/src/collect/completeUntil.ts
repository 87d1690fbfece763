import type { Interval } from "@tapeline/core/market"
import { type SourceResponse, sourceTimeOf } from "../source/index.ts"

/** The age at which a missing bucket counts as empty instead of late. */
const settledMs = 600_000

/**
 * Returns the time up to which a response of buckets is complete. Recent buckets that are newer than the last returned
 * bucket may still arrive.
 */
export const completeUntil = (
  { from, to }: Interval,
  { answer, maxBuckets, stepMs, times }: {
    readonly answer: Pick<SourceResponse<unknown>, "date" | "receivedAt">
    readonly times: ReadonlyArray<number>
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
