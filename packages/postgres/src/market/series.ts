import type { Interval } from "@tapeline/core/market"
import { type Coverage, gapsIn, type Ranges, type SeriesGaps, type SeriesRecord } from "@tapeline/core/market/store"

/* Rows of `market_series`, and their conversion to the types of the port. */

export interface SeriesRow {
  readonly id: number
  readonly subject: string
  readonly first_at: number | null
  readonly since: number | null
  readonly mark: number
  readonly covered: ReadonlyArray<number>
  readonly lost: ReadonlyArray<number>
}

/** The columns of a series, with bigints as numbers of JavaScript. */
export const seriesColumns = `s.id, s.subject, s.first_at::float8 as first_at, s.since::float8 as since,
  s.mark::float8 as mark, s.covered::float8[] as covered, s.lost::float8[] as lost`

/** The ends of intervals, `from` and `to` in turn. */
export const endsOf = (ranges: Ranges): ReadonlyArray<number> => ranges.flatMap(({ from, to }) => [from, to])

const rangesOf = (ends: ReadonlyArray<number>): Ranges =>
  Array.from({ length: ends.length / 2 }, (_, i) => ({ from: ends[2 * i]!, to: ends[2 * i + 1]! }))

export const coverageOf = ({ covered, first_at: first, lost, mark, since }: SeriesRow): Coverage => ({
  first,
  since,
  mark,
  covered: rangesOf(covered),
  lost: rangesOf(lost)
})

/** A series in the result of a read. A series without data does not exist for reads. */
export interface ToldRow extends SeriesRow {
  readonly revision: string
  /** The names of all sources that provided rows, by id. */
  readonly names: Readonly<Record<string, string>> | string | null
}

export const toldColumns = `${seriesColumns}, s.revision::text as revision, (
    select json_object_agg(m.id, m.name)::text from market_sources m where m.id = any (s.sources)
  ) as names`

/** The requested series of a kind: of the given subjects, or all. The parameters are `$1` and `$2`. */
export const askedSeries = `select * from market_series
  where kind = $1 and first_at is not null and ($2::text[] is null or subject = any ($2::text[]))`

/** Splits joined names, and returns each name once. */
export const separate = (joined: Iterable<string>): ReadonlyArray<string> =>
  [...new Set([...joined].flatMap((source) => source.split("+")))].sort()

/** Returns the names of sources by id. */
export const namesIn = ({ names }: Pick<ToldRow, "names">): ReadonlyMap<number, string> => {
  const byId: Readonly<Record<string, string>> = typeof names === "string" ? JSON.parse(names) : names ?? {}
  return new Map(Object.entries(byId).map(([id, name]) => [Number(id), name]))
}

export const recordOf = (row: ToldRow): SeriesRecord => ({
  since: row.since,
  contiguousUntil: row.mark,
  revision: row.revision,
  sources: separate(namesIn(row).values())
})

export const gapsOf = (row: SeriesRow, { from, to }: Interval): SeriesGaps => gapsIn(coverageOf(row), { from, to })
