import type { Interval, SteppedInterval } from "../series.ts"
import type { SeriesGaps } from "./coverage.ts"
import type { DocumentsKind, EventsKind, PointsKind, Values } from "./kinds.ts"

/** The recording state of a series: the start of recording, the watermark, the revision and the sources. */
export interface SeriesRecord {
  /** The start of recording; null while nothing is covered or lost. */
  readonly since: number | null
  /**
   * The watermark: the first time after `since` that is neither covered nor lost; 0 if `since` is null. The watermark
   * is in the future if future times are already covered. The caller must use the present instead of a future
   * watermark.
   */
  readonly contiguousUntil: number
  /** Identifies the content before `contiguousUntil`. Equal revisions mean equal content. */
  readonly revision: string
  readonly sources: ReadonlyArray<string>
}

/** The subjects of a kind, or all subjects with a record if `subjects` is omitted. */
export interface SubjectsFilter {
  readonly subjects?: ReadonlyArray<string>
}

export interface PointsQuery<Column extends string> extends SubjectsFilter, Interval {
  readonly kind: PointsKind<Column>
  /** Selects only points whose times are multiples of `everyMs`. */
  readonly everyMs?: number
  /** The maximum number of points per subject. If a subject has more points, the newest points are returned. */
  readonly last?: number
}

/** A stored point. */
export type Point<Column extends string> = Values<Column> & { readonly time: number; readonly source: string }

/** The record and the gaps of one series, read consistently. */
export interface SeriesRead {
  readonly record: SeriesRecord
  /** The parts of the requested interval that are not covered, including future times. */
  readonly gaps: SeriesGaps
}

export interface PointsRead<Column extends string> extends SeriesRead {
  /** The points of the series, oldest first. */
  readonly points: ReadonlyArray<Point<Column>>
}

/** The points of one step `[time, time + stepMs)`, aggregated as the kind defines. */
export type FoldedPoint<Column extends string> = Values<Column> & {
  readonly time: number
  /** The number of aggregated points. */
  readonly parts: number
  readonly firstAt: number
  readonly lastAt: number
}

export interface FoldedRead<Column extends string> extends SeriesRead {
  /** The aggregated points of steps at multiples of `stepMs`, oldest first. Empty steps are omitted. */
  readonly points: ReadonlyArray<FoldedPoint<Column>>
  readonly sources: ReadonlyArray<string>
}

export interface FoldedQuery<Column extends string> extends SubjectsFilter, SteppedInterval {
  readonly kind: PointsKind<Column>
}

export interface LatestQuery<Column extends string> extends SubjectsFilter {
  readonly kind: PointsKind<Column>
  readonly at: number
  /** The maximum age in ms of the returned point at the time `at`. */
  readonly withinMs: number
}

export interface LatestRead<Column extends string> {
  readonly record: SeriesRecord
  /** The newest point at or before `at`; null if no point is within `withinMs`. */
  readonly point: Point<Column> | null
}

/** A stored event. */
export type MarketEvent<Column extends string> = Values<Column> & {
  readonly id: string
  readonly time: number
  readonly source: string
  readonly label: string | null
  readonly document: string | null
}

/**
 * The counts and sums of the events in one step `[time, time + stepMs)`. The first step begins at the start of the
 * requested interval.
 */
export interface Tally<Column extends string> {
  readonly time: number
  /** The label of the counted events; null if the kind does not count events by label. */
  readonly label: string | null
  readonly count: number
  /** The number of distinct labels. */
  readonly labels: number
  /** The sum of each column's known values. Values are added in the order of times and ids. */
  readonly sums: { readonly [C in Column]: number }
  readonly known: { readonly [C in Column]: number }
}

interface EventsFilter<Column extends string> extends Interval {
  readonly kind: EventsKind<Column>
  /** Selects only events with at least `value` in `column`. */
  readonly minimum?: { readonly column: Column; readonly value: number }
}

export interface EventsQuery<Column extends string> extends EventsFilter<Column> {
  /** The subject of the events. If no subject is given, events of all subjects are returned, each event once. */
  readonly subject?: string
  /** The maximum number of returned events. If there are more events, the newest events are returned. */
  readonly limit: number
  /** The step length of `tallies`, in ms. Without a step length, the whole interval is one step. */
  readonly stepMs?: number
}

export interface EventsRead<Column extends string> {
  /**
   * The record of the requested subject. `record` is null if the subject has no record, or if no subject is requested.
   */
  readonly record: SeriesRecord | null
  readonly gaps: SeriesGaps
  /** The events, ordered by time, then by id. */
  readonly events: ReadonlyArray<MarketEvent<Column>>
  /**
   * The tallies of all matching events, sorted by time and label. The tallies also count events that `limit` excludes.
   * Steps without events are omitted.
   */
  readonly tallies: ReadonlyArray<Tally<Column>>
  readonly sources: ReadonlyArray<string>
}

export interface TalliesQuery<Column extends string> extends EventsFilter<Column>, SubjectsFilter {
  readonly stepMs: number
}

export interface TalliesRead<Column extends string> extends SeriesRead {
  readonly tallies: ReadonlyArray<Tally<Column>>
  readonly sources: ReadonlyArray<string>
}

export interface DocumentsQuery {
  readonly kind: DocumentsKind
  /** The keys of the documents; if omitted, all keys of the kind. */
  readonly keys?: ReadonlyArray<string>
}

export interface GapsQuery extends Interval {
  readonly kind: PointsKind | EventsKind
  readonly subjects: ReadonlyArray<string>
}
