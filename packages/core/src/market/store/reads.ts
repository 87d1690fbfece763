import type { Interval, Stepped } from "../series.ts"
import type { SeriesGaps } from "./coverage.ts"
import type { DocumentsKind, EventsKind, PointsKind, Values } from "./kinds.ts"

/** What is recorded of a series: `Recorded`, and where from. */
export interface SeriesRecord {
  /** Where recording began; null while nothing is covered. */
  readonly since: number | null
  /**
   * Everything from `since` to it is covered or lost, and nothing before it is awaited; 0 while nothing is covered. It
   * may lie beyond the present, where that is covered already: who tells it to others cuts it there. It never goes
   * back.
   */
  readonly contiguousUntil: number
  /** Names what lies below `contiguousUntil`, as `Recorded` says. */
  readonly revision: string
  /** Whoever gave rows, by name. */
  readonly sources: ReadonlyArray<string>
}

/** Some subjects of a kind, or all that have a record where none are named. */
export interface OfSubjects {
  readonly subjects?: ReadonlyArray<string>
}

export interface PointsQuery<Column extends string> extends OfSubjects, Interval {
  readonly kind: PointsKind<Column>
  /** Only those whose time is a multiple of it. */
  readonly everyMs?: number
  /** Of each subject at most so many, the last ones. */
  readonly last?: number
}

/** A point as it is read. */
export type Point<Column extends string> = Values<Column> & { readonly time: number; readonly source: string }

/** One series in an interval, all of one moment. */
export interface SeriesRead {
  readonly record: SeriesRecord
  /** Where the interval that was asked for is not covered, whether it lies before the present or not. */
  readonly gaps: SeriesGaps
}

export interface PointsRead<Column extends string> extends SeriesRead {
  /** Oldest first. */
  readonly points: ReadonlyArray<Point<Column>>
}

/** The points of one step `[time, time + stepMs)`, made one as the kind says. */
export type FoldedPoint<Column extends string> = Values<Column> & {
  readonly time: number
  /** How many there are, and the times of the first and the last one. */
  readonly parts: number
  readonly firstAt: number
  readonly lastAt: number
}

export interface FoldedRead<Column extends string> extends SeriesRead {
  /** Steps are multiples of `stepMs`; those without a point are missing. Oldest first. */
  readonly points: ReadonlyArray<FoldedPoint<Column>>
  /** Whom the folded points came from, by name. */
  readonly sources: ReadonlyArray<string>
}

export interface FoldedQuery<Column extends string> extends OfSubjects, Stepped {
  readonly kind: PointsKind<Column>
}

export interface LatestQuery<Column extends string> extends OfSubjects {
  readonly kind: PointsKind<Column>
  readonly at: number
  /** How much older than `at` it may be, at most. */
  readonly withinMs: number
}

export interface LatestRead<Column extends string> {
  readonly record: SeriesRecord
  /** The newest at or before the instant; null where there is none within the time. */
  readonly point: Point<Column> | null
}

/** An event as it is read. */
export type MarketEvent<Column extends string> = Values<Column> & {
  readonly id: string
  readonly time: number
  readonly source: string
  readonly label: string | null
  readonly document: string | null
}

/** What happened in one step `[time, time + stepMs)`; steps count from the interval's beginning. */
export interface Tally<Column extends string> {
  readonly time: number
  /** The label, where a kind is told by it, else null. */
  readonly label: string | null
  readonly count: number
  /** How many labels there are among them. */
  readonly labels: number
  /** Sums of what is known, added in the order of times and ids, and of how many it is. */
  readonly sums: { readonly [C in Column]: number }
  readonly known: { readonly [C in Column]: number }
}

interface EventsFilter<Column extends string> extends Interval {
  readonly kind: EventsKind<Column>
  /** Only those in which the column is at least so much. */
  readonly least?: { readonly column: Column; readonly value: number }
}

export interface EventsQuery<Column extends string> extends EventsFilter<Column> {
  /** Left out: events of all subjects and of none, each once. */
  readonly subject?: string
  /** At most so many, the newest ones. */
  readonly limit: number
  /** Length of the steps of `tallies`; the whole interval where it is left out. */
  readonly stepMs?: number
}

export interface EventsRead<Column extends string> {
  /** Null without a subject, or of one without a record. */
  readonly record: SeriesRecord | null
  readonly gaps: SeriesGaps
  /** By time, then by id. */
  readonly events: ReadonlyArray<MarketEvent<Column>>
  /** Of all that match, also those beyond the limit; steps without an event are missing. By time, then by label. */
  readonly tallies: ReadonlyArray<Tally<Column>>
  /** Whom those that match came from, by name. */
  readonly sources: ReadonlyArray<string>
}

export interface TalliesQuery<Column extends string> extends EventsFilter<Column>, OfSubjects {
  readonly stepMs: number
}

export interface TalliesRead<Column extends string> extends SeriesRead {
  readonly tallies: ReadonlyArray<Tally<Column>>
  readonly sources: ReadonlyArray<string>
}

export interface DocumentsQuery {
  readonly kind: DocumentsKind
  /** All of the kind where they are left out. */
  readonly keys?: ReadonlyArray<string>
}

export interface GapsQuery extends Interval {
  readonly kind: PointsKind | EventsKind
  readonly subjects: ReadonlyArray<string>
}
