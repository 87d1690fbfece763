import { type Gap, type Interval, minuteMs, type Stepped } from "@tapeline/core/market"
import { ranges, type SeriesGaps, within, without } from "@tapeline/core/market/store"

/** What an interval of a series lacks. */
export interface Lacking {
  /** Outages, cut to what was asked for. */
  readonly gaps: ReadonlyArray<Gap>
  /** What is so young that it is on its way, which is no outage. */
  readonly awaited: ReadonlyArray<Gap>
}

/** A record of an instant is on its way for less than a step of it, a bucket for as long again as it lasts. */
export const recordAwaitedMs = 5 * minuteMs
export const bucketAwaitedMs = 2 * recordAwaitedMs

/** When there was a series at all: of a coin, from its listing to the end of its market. */
interface Life {
  readonly listedAt: number
  readonly delistedAt: number | null
}

/** The part of an interval in which there was a series, up to the present. */
export const lifeIn = ({ from, to }: Interval, { delistedAt, listedAt }: Life, now: number): Interval => ({
  from: Math.max(from, listedAt),
  to: Math.min(to, now, delistedAt ?? Infinity)
})

/** Tells outages from what is on its way, in an interval up to the present. */
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

/** What was asked for, up to the present. */
export const upToNow = ({ from, to }: Interval, now: number): Interval => ({
  from,
  to: Math.max(from, Math.min(to, now + 1))
})

/** What a series without any record lacks: all of it. */
export const allMissing = (interval: Interval): SeriesGaps => ({ lost: [], missing: ranges([interval]) })

/** Openings of the buckets that touch an interval of a series and have begun. */
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
 * Openings of the buckets that are told: not those that gaps hold whole, as far as they were asked for. Where they are
 * told once they are over, none of which something is on its way; else also the one that runs, with what it has so far.
 *
 * @param seen up to when things are told; what comes later is of no bucket.
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
