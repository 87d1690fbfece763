import type { Interval } from "@tapeline/core/market"
import {
  type Coverage,
  type DocumentsKind,
  type EventsKind,
  gapsIn,
  type PointsKind,
  type Ranges,
  type SeriesGaps,
  type SeriesRecord
} from "@tapeline/core/market/store"

const toSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export interface KindTable {
  readonly table: string
  /** The database columns that are specific to the kind of market data. */
  readonly columns: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
}

const tableByKind = new WeakMap<PointsKind | EventsKind, KindTable>()

export const findTable = (kind: PointsKind | EventsKind): KindTable => {
  const existing = tableByKind.get(kind)
  if (existing !== undefined) return existing
  const names = kind.shape === "points" ? Object.keys(kind.columns) : kind.columns
  const table = { table: `market_${toSnakeCase(kind.name)}`, columns: names.map(toSnakeCase), names }
  tableByKind.set(kind, table)
  return table
}

/** Returns a function that caches the SQL text of `make` for each kind of market data. */
export const makeStatementByKind = <K extends PointsKind | EventsKind>(make: (table: KindTable, kind: K) => string) => {
  const textByKind = new WeakMap<K, string>()
  return (kind: K): string => {
    const text = textByKind.get(kind) ?? make(findTable(kind), kind)
    textByKind.set(kind, text)
    return text
  }
}

/** Returns SQL array parameters for `columns`, numbered from `place`. */
export const makeColumnParameters = (place: number, columns: ReadonlyArray<string>): string =>
  columns.map((_, i) => `$${place + i}::float8[]`).join(", ")

/** Returns SQL that replaces an existing row if a value differs. */
export const upsertSql = (keys: string, columns: ReadonlyArray<string>): string =>
  `on conflict (${keys}) do update set ${columns.map((name) => `${name} = excluded.${name}`).join(", ")}
  where (${columns.map((name) => `t.${name}`).join(", ")})
    is distinct from (${columns.map((name) => `excluded.${name}`).join(", ")})`

export const makePartitionName = (kind: PointsKind | EventsKind, span: string): string =>
  `${findTable(kind).table}_${span}`

/** The subject value that represents market data without a subject. */
export const kindSubject = ""

export type AnyKind = PointsKind | EventsKind | DocumentsKind

export interface SeriesRow {
  readonly id: number
  readonly subject: string
  readonly first_at: number | null
  readonly since: number | null
  readonly mark: number
  readonly covered: ReadonlyArray<number>
  readonly lost: ReadonlyArray<number>
}

/** The selected columns of the table `market_series`, with bigints converted to JavaScript numbers. */
export const seriesColumns = `s.id, s.subject, s.first_at::float8 as first_at, s.since::float8 as since,
  s.mark::float8 as mark, s.covered::float8[] as covered, s.lost::float8[] as lost`

/** Returns the start and end of each interval in one flat array. */
export const toEndpoints = (ranges: Ranges): ReadonlyArray<number> => ranges.flatMap(({ from, to }) => [from, to])

const toRanges = (ends: ReadonlyArray<number>): Ranges =>
  Array.from({ length: ends.length / 2 }, (_, i) => ({ from: ends[2 * i]!, to: ends[2 * i + 1]! }))

export const toCoverage = ({ covered, first_at: firstAt, lost, mark: watermark, since }: SeriesRow): Coverage => ({
  firstAt,
  since,
  watermark,
  covered: toRanges(covered),
  lost: toRanges(lost)
})

/** A series in the form in which a read returns it. Reads ignore series without data. */
export interface ReadSeriesRow extends SeriesRow {
  readonly revision: string
  /** The names of all sources that have provided rows, by source id. */
  readonly names: Readonly<Record<string, string>> | string | null
}

export const readSeriesColumns = `${seriesColumns}, s.revision::text as revision, (
    select json_object_agg(m.id, m.name)::text from market_sources m where m.id = any (s.sources)
  ) as names`

/**
 * SQL that selects the series of kind `$1` with the subjects `$2`. If `$2` is null, selects the series of all subjects.
 */
export const selectRequestedSeries = `select * from market_series
  where kind = $1 and first_at is not null and ($2::text[] is null or subject = any ($2::text[]))`

/** Splits source names that are joined with `+`, and returns each name once. */
export const splitSourceNames = (joined: Iterable<string>): ReadonlyArray<string> =>
  [...new Set([...joined].flatMap((source) => source.split("+")))].sort()

export const toSourceNames = ({ names }: Pick<ReadSeriesRow, "names">): ReadonlyMap<number, string> => {
  const byId: Readonly<Record<string, string>> = typeof names === "string" ? JSON.parse(names) : names ?? {}
  return new Map(Object.entries(byId).map(([id, name]) => [Number(id), name]))
}

export const toRecord = (row: ReadSeriesRow): SeriesRecord => ({
  since: row.since,
  contiguousUntil: row.mark,
  revision: row.revision,
  sources: splitSourceNames(toSourceNames(row).values())
})

export const findGaps = (row: SeriesRow, { from, to }: Interval): SeriesGaps => gapsIn(toCoverage(row), { from, to })
