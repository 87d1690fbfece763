import type { Interval } from "@tapeline/core/market"
import { type Ranges, ranges, type SeriesRecord, within, without } from "@tapeline/core/market/store"
import type { SeriesCollector, Subject } from "./collector.ts"

/** The instant of the grid that is due: what is of it may be asked for now. */
export const instantOf = ({ everyMs, offsetMs }: Pick<SeriesCollector, "everyMs" | "offsetMs">, now: number): number =>
  Math.floor((now - offsetMs) / everyMs) * everyMs

/** Up to when a series should be recorded by now. */
export const dueOf = (collector: Pick<SeriesCollector, "everyMs" | "offsetMs" | "rowsAre">, now: number): number =>
  instantOf(collector, now) + (collector.rowsAre === "buckets" ? 0 : collector.everyMs)

/** The parts of intervals that lie before an instant, and from it on. */
const before = (some: Ranges, time: number): Ranges => within(some, { from: -Infinity, to: time })
const from = (some: Ranges, time: number): Ranges => within(some, { from: time, to: Infinity })

type Shape = Pick<SeriesCollector, "backfill" | "everyMs" | "offsetMs" | "rowsAre" | "snapshot">

/**
 * What should be recorded of a subject by now: from the beginning of its record, or as far back as is wanted, up to
 * what is due. Null where nothing is.
 */
export const windowOf = (
  collector: Shape,
  { from: since, until = Infinity }: Subject,
  record: SeriesRecord | undefined,
  now: number
): Interval | null => {
  const { backfill, everyMs } = collector
  const floor = (time: number) => Math.floor(time / everyMs) * everyMs
  const due = dueOf(collector, now)
  const back = backfill === undefined ? 0 : Math.min(backfill.wantedMs, backfill.reachesBackMs)
  const wanted = Math.max(floor(since), floor(now - back))
  const first = Math.min(wanted, record?.since ?? wanted)
  const last = until === Infinity ? due : Math.min(due, floor(until))
  return first < last ? { from: first, to: last } : null
}

/** What is to be done about what a subject lacks. */
export interface Plan {
  /** The instant of now is missing, and can be told. */
  readonly snapshot: boolean
  /** Nothing tells it any more. */
  readonly lost: Ranges
  /** What is to be asked of the past, the newest first, each as much as one answer holds. */
  readonly asked: ReadonlyArray<Interval>
}

/** Ends of intervals first, as long as an answer holds; no more than are asked at once. */
const partsOf = (missing: Ranges, longestMs: number, everyMs: number, atMost: number): ReadonlyArray<Interval> => {
  const long = Math.max(everyMs, Math.floor(longestMs / everyMs) * everyMs)
  const parts: Array<Interval> = []
  for (const one of missing.toReversed()) {
    for (let to = one.to; to > one.from && parts.length < atMost; to -= long) {
      parts.push({ from: Math.max(one.from, to - long), to })
    }
  }
  return parts
}

/**
 * `missing` is what the store awaits of the subject's window. What lies before its record began is not awaited: it is
 * asked for as far as it is told, and never lost.
 */
export const planOf = (
  collector: Shape,
  missing: Ranges,
  record: SeriesRecord | undefined,
  now: number,
  atMost: number
): Plan => {
  const { backfill, everyMs, snapshot } = collector
  const instant = instantOf(collector, now)
  const present = ranges([{ from: instant, to: instant + everyMs }])
  const isTold = snapshot !== undefined && now - instant <= snapshot.lateMs
  const past = isTold ? without(missing, present) : missing
  const reach = backfill === undefined ? Infinity : Math.ceil((now - backfill.reachesBackMs) / everyMs) * everyMs
  const since = record?.since ?? Infinity
  const settled = backfill?.delayMs === undefined
    ? Infinity
    : Math.floor((now - backfill.delayMs) / everyMs) * everyMs
  return {
    snapshot: isTold && missing.some((gap) => gap.from <= instant && gap.to > instant),
    lost: before(from(past, since), reach),
    asked: backfill === undefined
      ? []
      : partsOf(before(from(past, reach), settled), backfill.longestMs, everyMs, atMost)
  }
}
