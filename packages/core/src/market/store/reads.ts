import type { Interval, SteppedInterval } from "../series.ts"
import type { SeriesGaps } from "./coverage.ts"
import type { DocumentsKind, EventsKind, PointsKind, Values } from "./kinds.ts"

/** The record of a series: `Recorded`, and the start of recording. */
export interface SeriesRecord {
  /** The start of recording. Null while nothing is covered or lost. */
  readonly since: number | null
  /**
   * The watermark: everything from `since` to it is covered or lost, and no earlier data is awaited. 0 while nothing is
   * covered or lost. May be after the present if that time is already covered; callers cut it at the present for
   * others. Never moves back.
   */
  readonly contiguousUntil: number
  /** Identifies the content below `contiguousUntil`, as in `Recorded`. */
  readonly revision: string
  /** The sources of the rows, by name. */
  readonly sources: ReadonlyArray<string>
}

/** The subjects of a kind. If omitted, all subjects with a record. */
export interface SubjectsFilter {
  readonly subjects?: ReadonlyArray<string>
}

export interface PointsQuery<Column extends string> extends SubjectsFilter, Interval {
  readonly kind: PointsKind<Column>
  /** Returns only points whose time is a multiple of `everyMs`. */
  readonly everyMs?: number
  /** The maximum number of points per subject; the last points are returned. */
  readonly last?: number
}

/** A stored point. */
export type Point<Column extends string> = Values<Column> & { readonly time: number; readonly source: string }

/** The record and the gaps of one series in an interval, as one consistent reading. */
export interface SeriesRead {
  readonly record: SeriesRecord
  /** The parts of the requested interval that are not covered, before or after the present. */
  readonly gaps: SeriesGaps
}

export interface PointsRead<Column extends string> extends SeriesRead {
  /** Oldest first. */
  readonly points: ReadonlyArray<Point<Column>>
}

/** The points of one step `[time, time + stepMs)`, folded as the kind defines. */
export type FoldedPoint<Column extends string> = Values<Column> & {
  readonly time: number
  /** The number of points, and the times of the first and the last point. */
  readonly parts: number
  readonly firstAt: number
  readonly lastAt: number
}

export interface FoldedRead<Column extends string> extends SeriesRead {
  /** Steps are multiples of `stepMs`. Steps without a point are missing. Oldest first. */
  readonly points: ReadonlyArray<FoldedPoint<Column>>
  /** The sources of the folded points, by name. */
  readonly sources: ReadonlyArray<string>
}

export interface FoldedQuery<Column extends string> extends SubjectsFilter, SteppedInterval {
  readonly kind: PointsKind<Column>
}

export interface LatestQuery<Column extends string> extends SubjectsFilter {
  readonly kind: PointsKind<Column>
  readonly at: number
  /** The maximum age of the point at the time `at`. */
  readonly withinMs: number
}

export interface LatestRead<Column extends string> {
  readonly record: SeriesRecord
  /** The newest point at or before `at`. Null if no point is within `withinMs`. */
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

/** The events of one step `[time, time + stepMs)`, counted. Steps count from the start of the interval. */
export interface Tally<Column extends string> {
  readonly time: number
  /** The label if the kind's tallies are per label, else null. */
  readonly label: string | null
  readonly count: number
  /** The number of distinct labels. */
  readonly labels: number
  /** Sums of the known values, added in the order of times and ids, and the number of known values. */
  readonly sums: { readonly [C in Column]: number }
  readonly known: { readonly [C in Column]: number }
}

interface EventsFilter<Column extends string> extends Interval {
  readonly kind: EventsKind<Column>
  /** Returns only events whose column has at least this value. */
  readonly least?: { readonly column: Column; readonly value: number }
}

export interface EventsQuery<Column extends string> extends EventsFilter<Column> {
  /** If omitted, events of all subjects and without subjects, each once. */
  readonly subject?: string
  /** The maximum number of events; the newest events are returned. */
  readonly limit: number
  /** The length of the steps of `tallies`. If omitted, the whole interval. */
  readonly stepMs?: number
}

export interface EventsRead<Column extends string> {
  /** Null without a subject, or for a subject without a record. */
  readonly record: SeriesRecord | null
  readonly gaps: SeriesGaps
  /** By time, then by id. */
  readonly events: ReadonlyArray<MarketEvent<Column>>
  /**
   * Tallies of all matching events, including those beyond the limit. Steps without events are missing. By time, then
   * by label.
   */
  readonly tallies: ReadonlyArray<Tally<Column>>
  /** The sources of the matching events, by name. */
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
  /** If omitted, all keys of the kind. */
  readonly keys?: ReadonlyArray<string>
}

export interface GapsQuery extends Interval {
  readonly kind: PointsKind | EventsKind
  readonly subjects: ReadonlyArray<string>
}
