import type { Interval } from "@tapeline/core/market"
import { type Ranges, ranges, type SeriesRecord, within, without } from "@tapeline/core/market/store"
import type { SeriesCollector, Subject } from "./collector.ts"

/** The newest instant of the grid whose data may be requested now. */
export const instantOf = ({ everyMs, offsetMs }: Pick<SeriesCollector, "everyMs" | "offsetMs">, now: number): number =>
  Math.floor((now - offsetMs) / everyMs) * everyMs

/** The time up to which a series should be recorded by now. */
export const dueOf = (collector: Pick<SeriesCollector, "everyMs" | "offsetMs" | "rowsAre">, now: number): number =>
  instantOf(collector, now) + (collector.rowsAre === "buckets" ? 0 : collector.everyMs)

/** The parts of intervals before a time (`before`) and after it (`from`). */
const before = (some: Ranges, time: number): Ranges => within(some, { from: -Infinity, to: time })
const from = (some: Ranges, time: number): Ranges => within(some, { from: time, to: Infinity })

type Shape = Pick<SeriesCollector, "backfill" | "everyMs" | "offsetMs" | "rowsAre" | "snapshot">

/**
 * The interval of a subject that should be recorded by now: from the start of its record, or as far back as wanted, up
 * to `dueOf`. Null if it is empty.
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

/** The actions for the gaps of a subject. */
export interface Plan {
  /** Whether the present instant is missing and can still be requested. */
  readonly snapshot: boolean
  /** Intervals that no source can provide any more. */
  readonly lost: Ranges
  /** Intervals to request, newest first, each as long as one response can hold. */
  readonly asked: ReadonlyArray<Interval>
}

/** Splits gaps into intervals of at most `longestMs`, newest first, and at most `atMost` of them. */
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
 * Plans the actions for a subject. `missing` are the gaps in its window. Intervals before its record began are
 * requested as far as the source has them, and never count as lost.
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
