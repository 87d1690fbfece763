import type { PgClient } from "@effect/sql-pg"
import {
  checkQuery,
  type Fold,
  type FoldedPoint,
  type FoldedQuery,
  type FoldedRead,
  type LatestQuery,
  type LatestRead,
  marketBounds,
  type MarketStoreRefusal,
  type Point,
  type PointsKind,
  type PointsQuery,
  type PointsRead,
  tooMuch
} from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { texts } from "../parameters.ts"
import { askedSeries, gapsOf, namesIn, recordOf, separate, toldColumns, type ToldRow } from "./series.ts"
import { byKind, type KindTable, tableOf } from "./tables.ts"

/* Reads of points: one statement each, with a row for each series that holds its points as columns. */

type Read<A> = Effect.Effect<A, SqlError | MarketStoreRefusal>

/** Columns of numbers, by their names in a statement. */
type Columns = Readonly<Record<string, ReadonlyArray<number | null> | null>>

const asked = (subjects: ReadonlyArray<string> | undefined) => subjects === undefined ? null : texts(subjects)

const instant = (time: number | undefined): string | null => time === undefined ? null : String(time)

/** Selects a kind's own columns as arrays, which are named by number: `c0`, `c1`, ... */
const arrays = (columns: ReadonlyArray<string>): string =>
  columns.map((name, i) => `array_agg(${name}) as c${i}`).join(", ")

const arrayNames = (columns: ReadonlyArray<string>): string => columns.map((_, i) => `r.c${i}`).join(", ")

/** The maximum number of rows in one read, plus one row, which shows that there are more. */
const beyond = marketBounds.rowsRead + 1

export const selectPoints = byKind<PointsKind>(({ columns, table }) =>
  `with s as materialized (${askedSeries}), r as (
    select series, array_agg(time::float8) as times, array_agg(source) as sources, ${arrays(columns)}
    from (
      select t.* from s cross join lateral (
        select * from ${table} t where t.series = s.id and t.time >= $3::bigint and t.time < $4::bigint
          and ($5::bigint is null or t.time % $5::bigint = 0)
        order by t.time desc limit $6::bigint
      ) t limit ${beyond}
    ) t group by series
  )
  select ${toldColumns}, r.times, r.sources as point_sources, ${arrayNames(columns)}
  from s left join r on r.series = s.id`
)

type PointsRow = ToldRow & Columns & {
  readonly times: ReadonlyArray<number> | null
  readonly point_sources: ReadonlyArray<number> | null
}

/** Returns the indexes of times, the oldest first. The times can have any order, and are mostly newest first. */
const inOrder = (times: ReadonlyArray<number>): ReadonlyArray<number> => {
  const places = times.map((_, i) => times.length - 1 - i)
  return places.every((place, i) => i === 0 || times[places[i - 1]!]! < times[place]!)
    ? places
    : places.sort((a, b) => times[a]! - times[b]!)
}

const pointsIn = <Column extends string>(row: PointsRow, { names }: KindTable): ReadonlyArray<Point<Column>> => {
  const { point_sources: sources, times } = row
  if (times === null) return []
  const byId = namesIn(row)
  const columns = names.map((name, i) => [name, row[`c${i}`]!] as const)
  return inOrder(times).map((place) => {
    const point: Record<string, number | string | null> = { time: times[place]!, source: byId.get(sources![place]!)! }
    for (const [name, values] of columns) point[name] = values[place]!
    return point as Point<Column> // it has every column of the kind
  })
}

const bounded = (kind: string, rows: ReadonlyArray<PointsRow>): Effect.Effect<void, MarketStoreRefusal> =>
  rows.reduce((sum, { times }) => sum + (times?.length ?? 0), 0) >= beyond
    ? Effect.fail(tooMuch(kind, `points beyond ${marketBounds.rowsRead}`))
    : Effect.void

export const readPoints = Effect.fnUntraced(function*<Column extends string>(
  sql: PgClient.PgClient,
  { everyMs, from, kind, last, subjects, to }: PointsQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, PointsRead<Column>>, SqlError | MarketStoreRefusal> {
  yield* checkQuery(kind.name, { from, to, everyMs, last }, 0)
  const rows = yield* sql.unsafe<PointsRow>(selectPoints(kind), [
    kind.name,
    asked(subjects),
    String(from),
    String(to),
    instant(everyMs),
    instant(last)
  ])
  yield* bounded(kind.name, rows)
  return new Map(rows.map((row) => [
    row.subject,
    { record: recordOf(row), gaps: gapsOf(row, { from, to }), points: pointsIn<Column>(row, tableOf(kind)) }
  ]))
})

/** SQL for the value of a step. Rows are oldest first, and sums are made in that order. */
const folds: Readonly<Record<Fold, (name: string) => string>> = {
  first: (name) => `(array_agg(${name}))[1]`,
  last: (name) => `(array_agg(${name}))[count(*)]`,
  max: (name) => `case when count(${name}) = count(*) then max(${name}) end`,
  min: (name) => `case when count(${name}) = count(*) then min(${name}) end`,
  sum: (name) => `case when count(${name}) = count(*) then sum(${name}) end`
}

/** Rows are sorted in chunks of this length. Longer chunks would be sorted on disk. */
const sortedMs = 86_400_000

/**
 * Groups rows in their sorted order. Aggregates receive rows in the order of times. A `distinct` among them would
 * change this order, because the rows would be sorted for it first.
 *
 * Each series is read separately, a few steps at a time, by the index, from its first row on. Days that cannot contain
 * rows are therefore not searched.
 */
export const selectFolded = byKind<PointsKind>(({ columns, names, table }, kind) => {
  const values = columns.map((name, i) => `${folds[kind.columns[names[i]!]!](name)} as ${name}`).join(", ")
  return `with s as materialized (${askedSeries}), f as (
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
    ) t limit ${beyond}
  ), r as (
    select series, array_agg(step::float8) as times, array_agg(parts::float8) as parts,
      array_agg(first_at::float8) as first_at, array_agg(last_at::float8) as last_at, ${arrays(columns)}
    from f group by series
  )
  select ${toldColumns}, r.times, r.parts, r.first_at as first_ats, r.last_at as last_ats,
    array(select distinct n from f cross join unnest(f.sources) n where f.series = s.id) as point_sources,
    ${arrayNames(columns)}
  from s left join r on r.series = s.id`
})

type FoldedRow = PointsRow & {
  readonly parts: ReadonlyArray<number>
  readonly first_ats: ReadonlyArray<number>
  readonly last_ats: ReadonlyArray<number>
}

const foldedIn = <Column extends string>(row: FoldedRow, { names }: KindTable): ReadonlyArray<FoldedPoint<Column>> => {
  const { first_ats, last_ats, parts, times } = row
  if (times === null) return []
  return inOrder(times).map((place) => {
    const point: Record<string, number | null> = {
      time: times[place]!,
      parts: parts[place]!,
      firstAt: first_ats[place]!,
      lastAt: last_ats[place]!
    }
    for (const [i, name] of names.entries()) point[name] = row[`c${i}`]![place]!
    return point as FoldedPoint<Column> // it has every column of the kind
  })
}

/** Returns the length of the chunks that are read one by one, in whole steps, and the beginning of the first one. */
export const chunksOf = (from: number, stepMs: number): readonly [lengthMs: string, first: string] => {
  const lengthMs = stepMs * Math.ceil(sortedMs / stepMs)
  return [String(lengthMs), String(Math.floor(from / lengthMs) * lengthMs)]
}

export const readFolded = Effect.fnUntraced(function*<Column extends string>(
  sql: PgClient.PgClient,
  { from, kind, stepMs, subjects, to }: FoldedQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, FoldedRead<Column>>, SqlError | MarketStoreRefusal> {
  yield* checkQuery(kind.name, { from, to, stepMs }, subjects?.length ?? 1)
  const rows = yield* sql.unsafe<FoldedRow>(selectFolded(kind), [
    kind.name,
    asked(subjects),
    String(from),
    String(to),
    String(stepMs),
    ...chunksOf(from, stepMs)
  ])
  yield* bounded(kind.name, rows)
  return new Map(rows.map((row) => {
    const names = namesIn(row)
    const sources = separate((row.point_sources ?? []).map((id) => names.get(id)!))
    const points = foldedIn<Column>(row, tableOf(kind))
    return [row.subject, { record: recordOf(row), gaps: gapsOf(row, { from, to }), points, sources }]
  }))
})

export const selectLatest = byKind<PointsKind>(({ columns, table }) =>
  `with s as materialized (${askedSeries})
  select ${toldColumns}, t.time::float8 as time, t.source,
    ${columns.map((name, i) => `t.${name} as c${i}`).join(", ")}
  from s left join lateral (
    select * from ${table} t where t.series = s.id and t.time <= $3::bigint and t.time >= $4::bigint
    order by t.time desc limit 1
  ) t on true`
)

type LatestRow = ToldRow & Readonly<Record<string, number | null>> & {
  readonly time: number | null
  readonly source: number | null
}

export const readLatest = <Column extends string>(
  sql: PgClient.PgClient,
  { at, kind, subjects, withinMs }: LatestQuery<Column>
): Read<ReadonlyMap<string, LatestRead<Column>>> =>
  Effect.gen(function*() {
    yield* checkQuery(kind.name, { from: at - withinMs, to: at + 1 }, 0)
    const rows = yield* sql.unsafe<LatestRow>(selectLatest(kind), [
      kind.name,
      asked(subjects),
      String(at),
      String(at - withinMs)
    ])
    const { names } = tableOf(kind)
    return new Map(rows.map((row) => {
      const values = Object.fromEntries(names.map((name, i) => [name, row[`c${i}`]]))
      const point = row.time === null
        ? null
        : { ...values, time: row.time, source: namesIn(row).get(row.source!)! } as Point<Column> // it has every column
      return [row.subject, { record: recordOf(row), point }]
    }))
  })
