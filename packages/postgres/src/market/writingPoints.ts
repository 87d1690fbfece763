import type { PgClient } from "@effect/sql-pg"
import type { PointsKind, PointsWrite } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { bigints, float8s } from "../parameters.ts"
import { type Changes, judge, putCoverage, type Said, together, written } from "./covering.ts"
import { type Locked, lockWrite } from "./locking.ts"
import type { Once } from "./once.ts"
import { byKind, columnsFrom, replacing } from "./tables.ts"

/** Writes points as columns: times, series and sources, then the kind's own columns. */
export const putPoints = byKind<PointsKind>(({ columns, table }) =>
  `with p as (
    insert into ${table} as t (time, series, source, ${columns.join(", ")})
    select * from unnest($1::bigint[], $2::integer[], $3::smallint[], ${columnsFrom(4, columns)})
    ${replacing("series, time", ["source", ...columns])}
    returning series, time
  )
  select series, min(time)::float8 as first, count(*)::integer as changed from p group by series`
)

/** Maximum number of rows in one statement, so that neither side holds all rows several times. */
const pointsAtOnce = 5_000

const addPoints = Effect.fnUntraced(function*<Column extends string>(
  sql: PgClient.PgClient,
  { kind, series }: PointsWrite<Column>,
  { series: rows, sources }: Locked
) {
  const names = Object.keys(kind.columns) as Array<Column> // all of them, by the kind's type
  const all = series
    .flatMap(({ rows: points, source, subject }) =>
      points.map((point) => ({ point, series: rows.get(subject)!.id, source: sources.get(source)! }))
    )
    .sort((a, b) => a.series - b.series || a.point.time - b.point.time)
  const changes: Array<Changes> = []
  for (let from = 0; from < all.length; from += pointsAtOnce) {
    const some = all.slice(from, from + pointsAtOnce)
    const told = yield* sql.unsafe<Changes>(putPoints(kind), [
      bigints(some.map(({ point }) => point.time)),
      bigints(some.map((one) => one.series)),
      bigints(some.map((one) => one.source)),
      ...names.map((name) => float8s(some.map(({ point }) => point[name])))
    ])
    changes.push(...told)
  }
  return together(changes)
})

export const pointsOnce = <Column extends string>(write: PointsWrite<Column>): Once => {
  // A subject without rows and coverage is ignored.
  const series = write.series.filter(({ covers = [], lost = [], rows }) =>
    rows.length + covers.length + lost.length > 0
  )
  const needs = {
    kind: write.kind,
    subjects: series.map(({ subject }) => subject),
    sources: series.flatMap(({ rows, source }) => rows.length === 0 ? [] : [source]),
    times: series.flatMap(({ rows }) => rows.map(({ time }) => time))
  }
  return {
    fence: write.fence,
    needs,
    run: (sql, within) =>
      Effect.gen(function*() {
        const locked = yield* lockWrite(sql, needs)
        const said = series.map(({ rows, source, subject, ...covering }): Said => ({
          row: locked.series.get(subject)!,
          firstRow: rows[0]?.time ?? null,
          covering,
          sources: rows.length === 0 ? [] : [locked.sources.get(source)!]
        }))
        const judged = yield* judge(write.kind.name, said)
        const changes = yield* addPoints(sql, write, locked)
        yield* within
        yield* putCoverage(sql, judged, changes)
        return written(changes)
      })
  }
}
