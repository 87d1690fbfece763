import type { Interval } from "@tapeline/core/market"
import {
  type Coverage,
  type DocumentRow,
  emptyCoverage,
  gapsIn,
  type SeriesGaps,
  type SeriesRead,
  type SeriesRecord
} from "@tapeline/core/market/store"

/** A point of any kind of market data. */
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

export interface SeriesRow {
  readonly coverage: Coverage
  readonly revision: string
  readonly sources: ReadonlyArray<string>
}

export interface KindTables {
  readonly series: Map<string, SeriesRow>
  readonly points: Map<string, Map<number, AnyPoint>>
  readonly events: Map<string, AnyEvent>
  readonly documents: Map<string, DocumentRow>
}

export interface MarketTables {
  readonly leases: Map<string, { holder: string; readonly epoch: number; until: number }>
  readonly kinds: Map<string, KindTables>
  readonly sources: Set<string>
}

export const makeMarketTables = (): MarketTables => ({ leases: new Map(), kinds: new Map(), sources: new Set() })

export const getKindTables = (tables: MarketTables, kind: string): KindTables => {
  const existing = tables.kinds.get(kind)
  if (existing !== undefined) return existing
  const created = { series: new Map(), points: new Map(), events: new Map(), documents: new Map() }
  tables.kinds.set(kind, created)
  return created
}

/** Splits source names that are joined by `+`, removes duplicates and sorts the names. */
export const splitSources = (sources: Iterable<string>): ReadonlyArray<string> =>
  [...new Set([...sources].flatMap((source) => source.split("+")))].sort()

export const getRecord = ({ coverage, revision, sources }: SeriesRow): SeriesRecord => ({
  since: coverage.since,
  contiguousUntil: coverage.watermark,
  revision,
  sources: splitSources(sources)
})

export const getCoverage = ({ series }: KindTables, subject: string): Coverage =>
  series.get(subject)?.coverage ?? emptyCoverage

export const getGaps = (tables: KindTables, subject: string, interval: Interval): SeriesGaps =>
  gapsIn(getCoverage(tables, subject), { from: interval.from, to: interval.to })

/** Returns the subjects that have stored data. `subjects` restricts the result; undefined selects all subjects. */
export const getKnownSubjects = ({ series }: KindTables, subjects: ReadonlyArray<string> | undefined) =>
  [...new Set(subjects ?? series.keys())].filter((subject) => series.has(subject))

export const getSeriesRead = (tables: KindTables, subject: string, interval: Interval): SeriesRead => ({
  record: getRecord(tables.series.get(subject)!),
  gaps: getGaps(tables, subject, interval)
})

export const selectByTime = <A extends { readonly time: number }>(rows: Iterable<A>, { from, to }: Interval) =>
  [...rows].filter(({ time }) => time >= from && time < to).sort((a, b) => a.time - b.time)
