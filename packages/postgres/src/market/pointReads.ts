import type { PgClient } from "@effect/sql-pg"
import {
  checkQuery,
  type Fold,
  type FoldedPoint,
  type FoldedQuery,
  type FoldedRead,
  type LatestQuery,
  type LatestRead,
  marketStoreLimits,
  type MarketStoreRefusal,
  type Point,
  type PointsKind,
  type PointsQuery,
  type PointsRead,
  readTooLarge
} from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { texts } from "../parameters.ts"
import {
  findGaps,
  findTable,
  type KindTable,
  makeStatementByKind,
  readSeriesColumns,
  type ReadSeriesRow,
  selectRequestedSeries,
  splitSourceNames,
  toRecord,
  toSourceNames
} from "./tables.ts"

/*
 * Each read of points is a single statement, which returns a row for each series, with the points as arrays of columns.
 */

type ReadEffect<A> = Effect.Effect<A, SqlError | MarketStoreRefusal>

type ColumnArrays = Readonly<Record<string, ReadonlyArray<number | null> | null>>

const toSubjectsParameter = (subjects: ReadonlyArray<string> | undefined) =>
  subjects === undefined ? null : texts(subjects)

const toTimeParameter = (time: number | undefined): string | null => time === undefined ? null : String(time)

/** Returns SQL that aggregates a kind's own columns to arrays with numbered names: `c0`, `c1`, ... */
const aggregateColumnsSql = (columns: ReadonlyArray<string>): string =>
  columns.map((name, i) => `array_agg(${name}) as c${i}`).join(", ")

const columnNamesSql = (columns: ReadonlyArray<string>): string => columns.map((_, i) => `r.c${i}`).join(", ")

/** The SQL row limit of a read: one row above the maximum, to detect reads that are too large. */
const rowLimit = marketStoreLimits.maxRowsPerRead + 1

export const selectPoints = makeStatementByKind<PointsKind>(({ columns, table }) =>
  `with s as materialized (${selectRequestedSeries}), r as (
    select series, array_agg(time::float8) as times, array_agg(source) as sources, ${aggregateColumnsSql(columns)}
    from (
      select t.* from s cross join lateral (
        select * from ${table} t where t.series = s.id and t.time >= $3::bigint and t.time < $4::bigint
          and ($5::bigint is null or t.time % $5::bigint = 0)
        order by t.time desc limit $6::bigint
      ) t limit ${rowLimit}
    ) t group by series
  )
  select ${readSeriesColumns}, r.times, r.sources as point_sources, ${columnNamesSql(columns)}
  from s left join r on r.series = s.id`
)

type PointsRow = ReadSeriesRow & ColumnArrays & {
  readonly times: ReadonlyArray<number> | null
  readonly point_sources: ReadonlyArray<number> | null
}

/**
 * Returns the indexes that sort `times` in ascending order. The function is optimised for times in descending order.
 */
const sortIndexes = (times: ReadonlyArray<number>): ReadonlyArray<number> => {
  const indexes = times.map((_, i) => times.length - 1 - i)
  return indexes.every((place, i) => i === 0 || times[indexes[i - 1]!]! < times[place]!)
    ? indexes
    : indexes.sort((a, b) => times[a]! - times[b]!)
}

const toPoints = <Column extends string>(row: PointsRow, { names }: KindTable): ReadonlyArray<Point<Column>> => {
  const { point_sources: sources, times } = row
  if (times === null) return []
  const sourceById = toSourceNames(row)
  const columns = names.map((name, i) => [name, row[`c${i}`]!] as const)
  return sortIndexes(times).map((place) => {
    const point: Record<string, number | string | null> = {
      time: times[place]!,
      source: sourceById.get(sources![place]!)!
    }
    for (const [name, values] of columns) point[name] = values[place]!
    return point as Point<Column> // `point` has every column of the kind
  })
}

const failBeyondLimit = (kind: string, rows: ReadonlyArray<PointsRow>): Effect.Effect<void, MarketStoreRefusal> =>
  rows.reduce((sum, { times }) => sum + (times?.length ?? 0), 0) >= rowLimit
    ? Effect.fail(readTooLarge(kind, `points beyond ${marketStoreLimits.maxRowsPerRead}`))
    : Effect.void

export const readPoints = Effect.fnUntraced(function*<Column extends string>(
  sql: PgClient.PgClient,
  { everyMs, from, kind, last, subjects, to }: PointsQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, PointsRead<Column>>, SqlError | MarketStoreRefusal> {
  yield* checkQuery(kind.name, { from, to, everyMs, last }, 0)
  const rows = yield* sql.unsafe<PointsRow>(selectPoints(kind), [
    kind.name,
    toSubjectsParameter(subjects),
    String(from),
    String(to),
    toTimeParameter(everyMs),
    toTimeParameter(last)
  ])
  yield* failBeyondLimit(kind.name, rows)
  return new Map(rows.map((row) => [
    row.subject,
    { record: toRecord(row), gaps: findGaps(row, { from, to }), points: toPoints<Column>(row, findTable(kind)) }
  ]))
})

/**
 * SQL that aggregates the rows of a time step into one value, by kind of aggregation. The aggregated rows are in
 * ascending order of time.
 */
const aggregateSql: Readonly<Record<Fold, (name: string) => string>> = {
  first: (name) => `(array_agg(${name}))[1]`,
  last: (name) => `(array_agg(${name}))[count(*)]`,
  max: (name) => `case when count(${name}) = count(*) then max(${name}) end`,
  min: (name) => `case when count(${name}) = count(*) then min(${name}) end`,
  sum: (name) => `case when count(${name}) = count(*) then sum(${name}) end`
}

/**
 * The length of the time chunks in which the database sorts rows, in ms. For longer chunks, the database would sort on
 * disk instead of in memory.
 */
const sortedChunkMs = 86_400_000

/**
 * Aggregates the points of each time step. The aggregates must not use `distinct`, because `distinct` breaks the
 * ascending order of time. The statement reads each series through the index, in chunks of time.
 */
export const selectFolded = makeStatementByKind<PointsKind>(({ columns, names, table }, kind) => {
  const values = columns.map((name, i) => `${aggregateSql[kind.columns[names[i]!]!](name)} as ${name}`).join(", ")
  return `with s as materialized (${selectRequestedSeries}), f as (
    select s.id as series, t.*
    from s cross join lateral generate_series(
      greatest($7::bigint, s.first_at - s.first_at % $6::bigint), $4::bigint - 1, $6::bigint
    ) as c(start) cross join lateral (
      select step, count(*) as parts, min(time) as first_at, max(time) as last_at,
        case when min(source) = max(source) then array[min(source)] else array_agg(source) end as sources, ${values}
      from (
        select t.*, t.time - t.time % $5::bigint as step from ${table} t
        where t.series = s.id and t.time >= $3::bigint and t.time < $4::bigint
          and t.time >= c.start and t.time < c.start + $6::bigint
        order by step, t.time
      ) t group by step
    ) t limit ${rowLimit}
  ), r as (
    select series, array_agg(step::float8) as times, array_agg(parts::float8) as parts,
      array_agg(first_at::float8) as first_at, array_agg(last_at::float8) as last_at, ${aggregateColumnsSql(columns)}
    from f group by series
  )
  select ${readSeriesColumns}, r.times, r.parts, r.first_at as first_ats, r.last_at as last_ats,
    array(select distinct n from f cross join unnest(f.sources) n where f.series = s.id) as point_sources,
    ${columnNamesSql(columns)}
  from s left join r on r.series = s.id`
})

type FoldedRow = PointsRow & {
  readonly parts: ReadonlyArray<number>
  readonly first_ats: ReadonlyArray<number>
  readonly last_ats: ReadonlyArray<number>
}

const toFoldedPoints = <Column extends string>(
  row: FoldedRow,
  { names }: KindTable
): ReadonlyArray<FoldedPoint<Column>> => {
  const { first_ats, last_ats, parts, times } = row
  if (times === null) return []
  return sortIndexes(times).map((place) => {
    const point: Record<string, number | null> = {
      time: times[place]!,
      parts: parts[place]!,
      firstAt: first_ats[place]!,
      lastAt: last_ats[place]!
    }
    for (const [i, name] of names.entries()) point[name] = row[`c${i}`]![place]!
    return point as FoldedPoint<Column> // `point` has every column of the kind
  })
}

/**
 * Returns the length in ms of a read's time chunks, and the start of the first chunk. The length is a multiple of
 * `stepMs`.
 */
export const toChunkParameters = (from: number, stepMs: number): readonly [lengthMs: string, first: string] => {
  const lengthMs = stepMs * Math.ceil(sortedChunkMs / stepMs)
  return [String(lengthMs), String(Math.floor(from / lengthMs) * lengthMs)]
}

export const readFolded = Effect.fnUntraced(function*<Column extends string>(
  sql: PgClient.PgClient,
  { from, kind, stepMs, subjects, to }: FoldedQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, FoldedRead<Column>>, SqlError | MarketStoreRefusal> {
  yield* checkQuery(kind.name, { from, to, stepMs }, subjects?.length ?? 1)
  const rows = yield* sql.unsafe<FoldedRow>(selectFolded(kind), [
    kind.name,
    toSubjectsParameter(subjects),
    String(from),
    String(to),
    String(stepMs),
    ...toChunkParameters(from, stepMs)
  ])
  yield* failBeyondLimit(kind.name, rows)
  return new Map(rows.map((row) => {
    const names = toSourceNames(row)
    const sources = splitSourceNames((row.point_sources ?? []).map((id) => names.get(id)!))
    const points = toFoldedPoints<Column>(row, findTable(kind))
    return [row.subject, { record: toRecord(row), gaps: findGaps(row, { from, to }), points, sources }]
  }))
})

export const selectLatest = makeStatementByKind<PointsKind>(({ columns, table }) =>
  `with s as materialized (${selectRequestedSeries})
  select ${readSeriesColumns}, t.time::float8 as time, t.source,
    ${columns.map((name, i) => `t.${name} as c${i}`).join(", ")}
  from s left join lateral (
    select * from ${table} t where t.series = s.id and t.time <= $3::bigint and t.time >= $4::bigint
    order by t.time desc limit 1
  ) t on true`
)

type LatestRow = ReadSeriesRow & Readonly<Record<string, number | null>> & {
  readonly time: number | null
  readonly source: number | null
}

export const readLatest = <Column extends string>(
  sql: PgClient.PgClient,
  { at, kind, subjects, withinMs }: LatestQuery<Column>
): ReadEffect<ReadonlyMap<string, LatestRead<Column>>> =>
  Effect.gen(function*() {
    yield* checkQuery(kind.name, { from: at - withinMs, to: at + 1 }, 0)
    const rows = yield* sql.unsafe<LatestRow>(selectLatest(kind), [
      kind.name,
      toSubjectsParameter(subjects),
      String(at),
      String(at - withinMs)
    ])
    const { names } = findTable(kind)
    return new Map(rows.map((row) => {
      const values = Object.fromEntries(names.map((name, i) => [name, row[`c${i}`]]))
      const point = row.time === null
        ? null
        : { ...values, time: row.time, source: toSourceNames(row).get(row.source!)! } as Point<Column> // all columns
      return [row.subject, { record: toRecord(row), point }]
    }))
  })
