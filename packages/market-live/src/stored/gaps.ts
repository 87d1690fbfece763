import { type Gap, type Interval, minuteMs, type SteppedInterval } from "@tapeline/core/market"
import { clipRanges, type SeriesGaps, subtractRanges, toRanges } from "@tapeline/core/market/store"

/** The missing parts of a series' interval. */
export interface SeriesHoles {
  /** The outages of a series within the requested interval. */
  readonly gaps: ReadonlyArray<Gap>
  /** The missing parts of a series that are so recent that their data may still arrive. */
  readonly pending: ReadonlyArray<Gap>
}

/** The maximum delays of recorded data: one five-minute step for an instantaneous value, and two steps for a bucket. */
export const maxRecordDelayMs = 5 * minuteMs
export const maxBucketDelayMs = 2 * maxRecordDelayMs

interface SeriesLife {
  readonly listedAt: number
  readonly delistedAt: number | null
}

export const clampToLife = ({ from, to }: Interval, { delistedAt, listedAt }: SeriesLife, now: number): Interval => ({
  from: Math.max(from, listedAt),
  to: Math.min(to, now, delistedAt ?? Infinity)
})

/** Splits the gaps of a series into outages and recent gaps whose data may still arrive. */
export const splitGaps = (
  { lost, missing }: SeriesGaps,
  requested: Interval,
  life: SeriesLife,
  now: number,
  maxDelayMs: number
): SeriesHoles => {
  const interval = clampToLife(requested, life, now)
  const recentlyMissing = missing.filter((gap) => gap.from > now - maxDelayMs)
  return {
    gaps: clipRanges(toRanges([...lost, ...missing.filter((gap) => gap.from <= now - maxDelayMs)]), interval),
    pending: clipRanges(recentlyMissing, interval)
  }
}

export const clampToNow = ({ from, to }: Interval, now: number): Interval => ({
  from,
  to: Math.max(from, Math.min(to, now + 1))
})

/** Returns the gaps of a series without any record: the whole interval is missing. */
export const wholeIntervalMissing = (interval: Interval): SeriesGaps => ({ lost: [], missing: toRanges([interval]) })

/** Returns the start times of all buckets that overlap an interval of a series and have begun. */
const bucketStarts = (
  { from, stepMs, to }: SteppedInterval,
  { delistedAt, listedAt }: SeriesLife,
  now: number
): ReadonlyArray<number> => {
  const times: Array<number> = []
  const end = Math.min(to, now + 1, delistedAt ?? Infinity)
  for (let time = Math.floor(Math.max(from, listedAt) / stepMs) * stepMs; time < end; time += stepMs) times.push(time)
  return times
}

/**
 * Returns the start times of the buckets for which at least a part of the requested data is outside of gaps. The mode
 * `with current` includes buckets that have not ended, and the mode `completed` omits buckets whose data may still
 * arrive.
 *
 * @param knownUntil the time up to which data is known; later data belongs to no bucket.
 */
export const selectBuckets = (
  query: SteppedInterval,
  { pending, gaps }: SeriesHoles,
  life: SeriesLife,
  knownUntil: number,
  mode: "with current" | "completed"
): ReadonlyArray<number> =>
  bucketStarts(query, life, knownUntil).filter((time) => {
    const bucket = { from: time, to: time + query.stepMs }
    const requestedPart = { from: Math.max(time, query.from), to: Math.min(bucket.to, query.to, knownUntil) }
    if (mode === "with current") return subtractRanges([requestedPart], toRanges([...gaps, ...pending])).length > 0
    return bucket.to <= knownUntil && subtractRanges([requestedPart], toRanges(gaps)).length > 0 &&
      clipRanges(toRanges(pending), bucket).length === 0
  })
