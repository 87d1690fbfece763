import type { PgClient } from "@effect/sql-pg"
import type { PointsKind, PointsWrite } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { bigints, float8s } from "../parameters.ts"
import {
  type ChangedRows,
  computeChanges,
  mergeChangedRows,
  type SeriesWrite,
  storeCoverage,
  toWriteResult
} from "./coverage.ts"
import { makeColumnParameters, makeStatementByKind, upsertSql } from "./tables.ts"
import { type LockedSeries, lockRequirements, type MarketWriteTransaction } from "./writeLocks.ts"

/** Inserts or updates points. Each parameter is an array with one value per point. */
export const upsertPoints = makeStatementByKind<PointsKind>(({ columns, table }) =>
  `with p as (
    insert into ${table} as t (time, series, source, ${columns.join(", ")})
    select * from unnest($1::bigint[], $2::integer[], $3::smallint[], ${makeColumnParameters(4, columns)})
    ${upsertSql("series, time", ["source", ...columns])}
    returning series, time
  )
  select series, min(time)::float8 as first, count(*)::integer as changed from p group by series`
)

/** The maximum number of points in a statement, which limits the memory of the client and the server. */
const maxPointsPerStatement = 5_000

const insertPoints = Effect.fnUntraced(function*<Column extends string>(
  sql: PgClient.PgClient,
  { kind, series }: PointsWrite<Column>,
  { series: rows, sources }: LockedSeries
) {
  const names = Object.keys(kind.columns) as Array<Column> // the keys have the type of the kind
  const all = series
    .flatMap(({ rows: points, source, subject }) =>
      points.map((point) => ({ point, series: rows.get(subject)!.id, source: sources.get(source)! }))
    )
    .sort((a, b) => a.series - b.series || a.point.time - b.point.time)
  const changes: Array<ChangedRows> = []
  for (let from = 0; from < all.length; from += maxPointsPerStatement) {
    const batch = all.slice(from, from + maxPointsPerStatement)
    const changed = yield* sql.unsafe<ChangedRows>(upsertPoints(kind), [
      bigints(batch.map(({ point }) => point.time)),
      bigints(batch.map((one) => one.series)),
      bigints(batch.map((one) => one.source)),
      ...names.map((name) => float8s(batch.map(({ point }) => point[name])))
    ])
    changes.push(...changed)
  }
  return mergeChangedRows(changes)
})

export const makePointsTransaction = <Column extends string>(write: PointsWrite<Column>): MarketWriteTransaction => {
  // A write ignores a subject without rows and without covered or lost intervals.
  const series = write.series.filter(({ covers = [], lost = [], rows }) =>
    rows.length + covers.length + lost.length > 0
  )
  const requirements = {
    kind: write.kind,
    subjects: series.map(({ subject }) => subject),
    sources: series.flatMap(({ rows, source }) => rows.length === 0 ? [] : [source]),
    times: series.flatMap(({ rows }) => rows.map(({ time }) => time))
  }
  return {
    fence: write.fence,
    requirements,
    run: (sql, runFailpoint) =>
      Effect.gen(function*() {
        const locked = yield* lockRequirements(sql, requirements)
        const writes = series.map(({ rows, source, subject, ...covering }): SeriesWrite => ({
          row: locked.series.get(subject)!,
          firstRowAt: rows[0]?.time ?? null,
          covering,
          sources: rows.length === 0 ? [] : [locked.sources.get(source)!]
        }))
        const seriesChanges = yield* computeChanges(write.kind.name, writes)
        const changes = yield* insertPoints(sql, write, locked)
        yield* runFailpoint
        yield* storeCoverage(sql, seriesChanges, changes)
        return toWriteResult(changes)
      })
  }
}
