import { type Gap, type Interval, minuteMs, type Stepped } from "@tapeline/core/market"
import { ranges, type SeriesGaps, within, without } from "@tapeline/core/market/store"

/** The missing parts of a series' interval. */
export interface Lacking {
  /** Outages, within the requested interval. */
  readonly gaps: ReadonlyArray<Gap>
  /** Missing parts that are so recent that their data may still arrive. */
  readonly awaited: ReadonlyArray<Gap>
}

/** How long data may take to arrive: for an instant's record less than one step, for a bucket twice as long. */
export const recordAwaitedMs = 5 * minuteMs
export const bucketAwaitedMs = 2 * recordAwaitedMs

/** The time in which a series exists: for a coin, from its listing to its delisting. */
interface Life {
  readonly listedAt: number
  readonly delistedAt: number | null
}

/** The part of an interval in which the series exists, up to the present. */
export const lifeIn = ({ from, to }: Interval, { delistedAt, listedAt }: Life, now: number): Interval => ({
  from: Math.max(from, listedAt),
  to: Math.min(to, now, delistedAt ?? Infinity)
})

/** Separates outages from data that may still arrive, in an interval up to the present. */
export const lacking = (
  { lost, missing }: SeriesGaps,
  asked: Interval,
  life: Life,
  now: number,
  awaitedMs: number
): Lacking => {
  const interval = lifeIn(asked, life, now)
  const young = missing.filter((gap) => gap.from > now - awaitedMs)
  return {
    gaps: within(ranges([...lost, ...missing.filter((gap) => gap.from <= now - awaitedMs)]), interval),
    awaited: within(young, interval)
  }
}

/** The requested interval, up to the present. */
export const upToNow = ({ from, to }: Interval, now: number): Interval => ({
  from,
  to: Math.max(from, Math.min(to, now + 1))
})

/** The gaps of a series without any record: the whole interval. */
export const allMissing = (interval: Interval): SeriesGaps => ({ lost: [], missing: ranges([interval]) })

/** The openings of all buckets that overlap an interval of a series and have begun. */
const openings = (
  { from, stepMs, to }: Stepped,
  { delistedAt, listedAt }: Life,
  now: number
): ReadonlyArray<number> => {
  const times: Array<number> = []
  const end = Math.min(to, now + 1, delistedAt ?? Infinity)
  for (let time = Math.floor(Math.max(from, listedAt) / stepMs) * stepMs; time < end; time += stepMs) times.push(time)
  return times
}

/**
 * The openings of the buckets to return: those whose requested part is not entirely in gaps. With "over alone", only
 * buckets that are over and await no data. With "running told", also the running bucket with its data so far.
 *
 * @param seen the time up to which data is known; later data belongs to no bucket.
 */
export const toldBuckets = (
  query: Stepped,
  { awaited, gaps }: Lacking,
  life: Life,
  seen: number,
  runs: "running told" | "over alone"
): ReadonlyArray<number> =>
  openings(query, life, seen).filter((time) => {
    const bucket = { from: time, to: time + query.stepMs }
    const own = { from: Math.max(time, query.from), to: Math.min(bucket.to, query.to, seen) }
    if (runs === "running told") return without([own], ranges([...gaps, ...awaited])).length > 0
    return bucket.to <= seen && without([own], ranges(gaps)).length > 0 && within(ranges(awaited), bucket).length === 0
  })
