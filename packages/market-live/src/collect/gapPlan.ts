import type { Interval } from "@tapeline/core/market"
import { clipRanges, type Ranges, type SeriesRecord, subtractRanges, toRanges } from "@tapeline/core/market/store"
import type { SeriesCollector, Subject } from "./collector.ts"

/** Returns the newest multiple of `everyMs` whose data may be requested now. */
export const newestInstant = (
  { everyMs, offsetMs }: Pick<SeriesCollector, "everyMs" | "offsetMs">,
  now: number
): number => Math.floor((now - offsetMs) / everyMs) * everyMs

/** Returns the time up to which a series should be recorded at the time `now`. */
export const dueUntil = (collector: Pick<SeriesCollector, "everyMs" | "offsetMs" | "rowTimes">, now: number): number =>
  newestInstant(collector, now) + (collector.rowTimes === "buckets" ? 0 : collector.everyMs)

const partBefore = (some: Ranges, time: number): Ranges => clipRanges(some, { from: -Infinity, to: time })
const partAfter = (some: Ranges, time: number): Ranges => clipRanges(some, { from: time, to: Infinity })

type SeriesSchedule = Pick<SeriesCollector, "backfill" | "everyMs" | "offsetMs" | "rowTimes" | "snapshot">

/** Returns the interval of a subject that should be recorded by now, or null if the interval is empty. */
export const windowOf = (
  collector: SeriesSchedule,
  { from: since, until = Infinity }: Subject,
  record: SeriesRecord | undefined,
  now: number
): Interval | null => {
  const { backfill, everyMs } = collector
  const floor = (time: number) => Math.floor(time / everyMs) * everyMs
  const due = dueUntil(collector, now)
  const back = backfill === undefined ? 0 : Math.min(backfill.lookbackMs, backfill.sourceRetentionMs)
  const wanted = Math.max(floor(since), floor(now - back))
  const first = Math.min(wanted, record?.since ?? wanted)
  const last = until === Infinity ? due : Math.min(due, floor(until))
  return first < last ? { from: first, to: last } : null
}

export interface GapPlan {
  /** Whether the snapshot of the current scheduled time is missing and can still be requested. */
  readonly snapshot: boolean
  /** The subject's missing intervals that no source can provide any more. */
  readonly lost: Ranges
  /** The intervals to request, newest first. Each requested interval fits in one response of the source. */
  readonly requests: ReadonlyArray<Interval>
}

const splitGaps = (missing: Ranges, longestMs: number, everyMs: number, maxParts: number): ReadonlyArray<Interval> => {
  const long = Math.max(everyMs, Math.floor(longestMs / everyMs) * everyMs)
  const parts: Array<Interval> = []
  for (const one of missing.toReversed()) {
    for (let to = one.to; to > one.from && parts.length < maxParts; to -= long) {
      parts.push({ from: Math.max(one.from, to - long), to })
    }
  }
  return parts
}

/**
 * Plans which missing intervals of a subject to request, and which to record as lost. Intervals before the subject's
 * first record are never recorded as lost.
 */
export const planGaps = (
  collector: SeriesSchedule,
  missing: Ranges,
  record: SeriesRecord | undefined,
  now: number,
  maxRequests: number
): GapPlan => {
  const { backfill, everyMs, snapshot } = collector
  const instant = newestInstant(collector, now)
  const present = toRanges([{ from: instant, to: instant + everyMs }])
  const isSnapshotDue = snapshot !== undefined && now - instant <= snapshot.maxDelayMs
  const past = isSnapshotDue ? subtractRanges(missing, present) : missing
  const earliest = backfill === undefined ? Infinity : Math.ceil((now - backfill.sourceRetentionMs) / everyMs) * everyMs
  const since = record?.since ?? Infinity
  const settled = backfill?.delayMs === undefined
    ? Infinity
    : Math.floor((now - backfill.delayMs) / everyMs) * everyMs
  return {
    snapshot: isSnapshotDue && missing.some((gap) => gap.from <= instant && gap.to > instant),
    lost: partBefore(partAfter(past, since), earliest),
    requests: backfill === undefined
      ? []
      : splitGaps(partBefore(partAfter(past, earliest), settled), backfill.maxIntervalMs, everyMs, maxRequests)
  }
}
