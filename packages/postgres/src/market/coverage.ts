import type { PgClient } from "@effect/sql-pg"
import {
  type Coverage,
  type CoverageUpdate,
  isContentChanged,
  type MarketStoreRefusal,
  maxCoveredIntervals,
  tooManyIntervals,
  updateCoverage,
  type WriteResult
} from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type SeriesRow, toCoverage, toEndpoints } from "./tables.ts"

/** The part of a write that belongs to one series. */
export interface SeriesWrite {
  readonly row: SeriesRow
  readonly firstRowAt: number | null
  readonly covering: CoverageUpdate
  readonly sources: ReadonlyArray<number>
}

export interface SeriesChange extends SeriesWrite {
  readonly before: Coverage
  readonly after: Coverage
}

/** Computes the new coverage of each series. Fails if a series would have too many covered intervals. */
export const computeChanges = (
  kind: string,
  writes: ReadonlyArray<SeriesWrite>
): Effect.Effect<ReadonlyArray<SeriesChange>, MarketStoreRefusal> =>
  Effect.forEach(writes, (write) => {
    const { covering: { covers = [], lost = [] }, firstRowAt, row } = write
    const before = toCoverage(row)
    const after = updateCoverage(before, { covers, lost, firstRowAt })
    return after.covered.length > maxCoveredIntervals
      ? Effect.fail(tooManyIntervals(kind, row.subject, maxCoveredIntervals))
      : Effect.succeed({ ...write, before, after })
  })

const updateSeries =
  `update market_series s set first_at = u.first_at, since = u.since, mark = u.mark, covered = u.covered,
    lost = u.lost, revision = case when u.revised then gen_random_uuid() else s.revision end,
    sources = s.sources || array(select n from unnest(u.sources) n where n <> all (s.sources))
  from json_to_recordset($1::json) as u (id integer, first_at bigint, since bigint, mark bigint, covered bigint[],
    lost bigint[], sources smallint[], revised boolean)
  where s.id = u.id`

/** Converts the new state of a series to one element of the parameter of `updateSeries`. */
export const toSeriesState = (id: number, after: Coverage, revised: boolean, sources: ReadonlyArray<number>) => ({
  id,
  first_at: after.firstAt,
  since: after.since,
  mark: after.watermark,
  covered: toEndpoints(after.covered),
  lost: toEndpoints(after.lost),
  sources,
  revised
})

export const storeStates = (
  sql: PgClient.PgClient,
  states: ReadonlyArray<ReturnType<typeof toSeriesState>>
): Effect.Effect<unknown, SqlError> =>
  states.length === 0 ? Effect.void : sql.unsafe(updateSeries, [JSON.stringify(states)])

const isSame = (one: Coverage, other: Coverage): boolean =>
  one.firstAt === other.firstAt && one.since === other.since && one.watermark === other.watermark &&
  String(toEndpoints(one.covered)) === String(toEndpoints(other.covered)) &&
  String(toEndpoints(one.lost)) === String(toEndpoints(other.lost))

/**
 * The changes that a write made to one series. `changed` is the number of changed rows, and `first` is the time of the
 * first changed row.
 */
export interface ChangedRows {
  readonly series: number
  readonly first: number
  readonly changed: number
}

export const mergeChangedRows = (changes: ReadonlyArray<ChangedRows>): ReadonlyArray<ChangedRows> =>
  [...Map.groupBy(changes, ({ series }) => series)].map(([series, list]) => ({
    series,
    first: Math.min(...list.map(({ first }) => first)),
    changed: list.reduce((sum, { changed }) => sum + changed, 0)
  }))

export const toWriteResult = (changes: ReadonlyArray<ChangedRows>): WriteResult => ({
  changed: changes.reduce((sum, { changed }) => sum + changed, 0)
})

export const storeCoverage = (
  sql: PgClient.PgClient,
  seriesChanges: ReadonlyArray<SeriesChange>,
  changes: ReadonlyArray<ChangedRows>
): Effect.Effect<unknown, SqlError> => {
  const firstChangeBySeries = new Map(changes.map(({ first, series }) => [series, first]))
  return storeStates(
    sql,
    seriesChanges.flatMap(({ after, before, row: { id }, sources }) => {
      const first = firstChangeBySeries.get(id) ?? null
      return first === null && isSame(before, after)
        ? []
        : [toSeriesState(id, after, isContentChanged(before, after, first), [...new Set(sources)])]
    })
  )
}
