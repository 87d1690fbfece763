import type { Interval } from "@tapeline/core/market"
import {
  type Coverage,
  type DocumentRow,
  gapsIn,
  type SeriesGaps,
  type SeriesRead,
  type SeriesRecord,
  untouched
} from "@tapeline/core/market/store"

/** A row without the types of its kind's columns. */
export type AnyPoint =
  & { readonly time: number; readonly source: string }
  & Readonly<
    Record<string, number | string | null>
  >

export interface AnyEvent {
  readonly id: string
  readonly time: number
  readonly subjects: ReadonlyArray<string>
  readonly source: string
  readonly label: string | null
  readonly document: string | null
  readonly values: Readonly<Record<string, number | null>>
}

/** The row of a series. */
export interface SeriesRow {
  readonly coverage: Coverage
  readonly revision: string
  readonly sources: ReadonlyArray<string>
}

export interface KindTables {
  readonly series: Map<string, SeriesRow>
  /** By subject, then by time. */
  readonly points: Map<string, Map<number, AnyPoint>>
  readonly events: Map<string, AnyEvent>
  readonly documents: Map<string, DocumentRow>
}

export interface MarketTables {
  readonly leases: Map<string, { holder: string; readonly epoch: number; until: number }>
  readonly kinds: Map<string, KindTables>
  readonly sources: Set<string>
}

export const emptyMarketTables = (): MarketTables => ({ leases: new Map(), kinds: new Map(), sources: new Set() })

export const kindTables = (tables: MarketTables, kind: string): KindTables => {
  const known = tables.kinds.get(kind)
  if (known !== undefined) return known
  const fresh = { series: new Map(), points: new Map(), events: new Map(), documents: new Map() }
  tables.kinds.set(kind, fresh)
  return fresh
}

/** Splits joined names and removes duplicates. */
export const namesOf = (sources: Iterable<string>): ReadonlyArray<string> =>
  [...new Set([...sources].flatMap((source) => source.split("+")))].sort()

export const recordOf = ({ coverage, revision, sources }: SeriesRow): SeriesRecord => ({
  since: coverage.since,
  contiguousUntil: coverage.mark,
  revision,
  sources: namesOf(sources)
})

export const coverageOf = ({ series }: KindTables, subject: string): Coverage =>
  series.get(subject)?.coverage ?? untouched

export const gapsOf = (tables: KindTables, subject: string, interval: Interval): SeriesGaps =>
  gapsIn(coverageOf(tables, subject), { from: interval.from, to: interval.to })

/** The requested subjects, or all, that have a record. */
export const subjectsOf = ({ series }: KindTables, subjects: ReadonlyArray<string> | undefined) =>
  [...new Set(subjects ?? series.keys())].filter((subject) => series.has(subject))

export const readOf = (tables: KindTables, subject: string, interval: Interval): SeriesRead => ({
  record: recordOf(tables.series.get(subject)!),
  gaps: gapsOf(tables, subject, interval)
})

export const between = <A extends { readonly time: number }>(rows: Iterable<A>, { from, to }: Interval) =>
  [...rows].filter(({ time }) => time >= from && time < to).sort((a, b) => a.time - b.time)
