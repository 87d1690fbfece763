import type { PgClient } from "@effect/sql-pg"
import {
  type Coverage,
  coverageAfter,
  coveredAtMost,
  type Covering,
  isRevised,
  type MarketStoreRefusal,
  tooScattered,
  type Written
} from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { coverageOf, endsOf, type SeriesRow } from "./series.ts"

/* The changes of a write to the rows of its series. */

/** The contribution of a write to one series. */
export interface Said {
  readonly row: SeriesRow
  readonly firstRow: number | null
  readonly covering: Covering
  /** The ids of the sources of its rows. */
  readonly sources: ReadonlyArray<number>
}

export interface Judged extends Said {
  readonly before: Coverage
  readonly after: Coverage
}

/** Calculates the coverage of each series after a write. Fails if a coverage has too many intervals. */
export const judge = (
  kind: string,
  said: ReadonlyArray<Said>
): Effect.Effect<ReadonlyArray<Judged>, MarketStoreRefusal> =>
  Effect.forEach(said, (one) => {
    const { covering: { covers = [], lost = [] }, firstRow, row } = one
    const before = coverageOf(row)
    const after = coverageAfter(before, { covers, lost, firstRow })
    return after.covered.length > coveredAtMost
      ? Effect.fail(tooScattered(kind, row.subject, coveredAtMost))
      : Effect.succeed({ ...one, before, after })
  })

const put = `update market_series s set first_at = u.first_at, since = u.since, mark = u.mark, covered = u.covered,
    lost = u.lost, revision = case when u.revised then gen_random_uuid() else s.revision end,
    sources = s.sources || array(select n from unnest(u.sources) n where n <> all (s.sources))
  from json_to_recordset($1::json) as u (id integer, first_at bigint, since bigint, mark bigint, covered bigint[],
    lost bigint[], sources smallint[], revised boolean)
  where s.id = u.id`

/** The stored state of a series, in the form that the statement reads. */
export const stateOf = (id: number, after: Coverage, revised: boolean, sources: ReadonlyArray<number>) => ({
  id,
  first_at: after.first,
  since: after.since,
  mark: after.mark,
  covered: endsOf(after.covered),
  lost: endsOf(after.lost),
  sources,
  revised
})

export const putStates = (
  sql: PgClient.PgClient,
  states: ReadonlyArray<ReturnType<typeof stateOf>>
): Effect.Effect<unknown, SqlError> => states.length === 0 ? Effect.void : sql.unsafe(put, [JSON.stringify(states)])

const isSame = (one: Coverage, other: Coverage): boolean =>
  one.first === other.first && one.since === other.since && one.mark === other.mark &&
  String(endsOf(one.covered)) === String(endsOf(other.covered)) &&
  String(endsOf(one.lost)) === String(endsOf(other.lost))

/** The changed rows of a series. */
export interface Changes {
  readonly series: number
  /** The time of the first changed row. */
  readonly first: number
  readonly changed: number
}

/** Merges the changes of each series from several statements. */
export const together = (changes: ReadonlyArray<Changes>): ReadonlyArray<Changes> =>
  [...Map.groupBy(changes, ({ series }) => series)].map(([series, some]) => ({
    series,
    first: Math.min(...some.map(({ first }) => first)),
    changed: some.reduce((sum, { changed }) => sum + changed, 0)
  }))

export const written = (changes: ReadonlyArray<Changes>): Written => ({
  changed: changes.reduce((sum, { changed }) => sum + changed, 0)
})

/** Stores the coverage of the series that changed. */
export const putCoverage = (
  sql: PgClient.PgClient,
  judged: ReadonlyArray<Judged>,
  changes: ReadonlyArray<Changes>
): Effect.Effect<unknown, SqlError> => {
  const firstChange = new Map(changes.map(({ first, series }) => [series, first]))
  return putStates(
    sql,
    judged.flatMap(({ after, before, row: { id }, sources }) => {
      const first = firstChange.get(id) ?? null
      return first === null && isSame(before, after)
        ? []
        : [stateOf(id, after, isRevised(before, after, first), [...new Set(sources)])]
    })
  )
}
