import type { PgClient } from "@effect/sql-pg"
import type { StoreUnavailable } from "@tapeline/core/engine"
import { coveragePruned, type EventsKind, isForgotten, type PointsKind, spanOf } from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { isLocked } from "../heldRows.ts"
import { boundIdle, RowHeld } from "../patiently.ts"
import { putStates, stateOf } from "./covering.ts"
import { coverageOf, seriesColumns, type SeriesRow } from "./series.ts"
import { type AnyKind, partOf, tableOf } from "./tables.ts"

/* Old data is dropped by whole partitions, and removed from the coverage, in one transaction. */

/**
 * How long to wait at once for readers of a partition, because others wait behind this statement. It is then retried.
 */
const waitsMs = 200

const lockAll = `with s as (
    select * from market_series where kind = $1 order by id for no key update skip locked
  )
  select (select count(*)::integer from market_series where kind = $1) as there,
    (select json_agg(s)::text from (select ${seriesColumns} from s) s) as series`

const selectParts = `select c.relname::text as part from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = to_regclass($1) and c.relname < $2 order by c.relname`

type Once<A> = Effect.Effect<A, SqlError | StoreUnavailable | RowHeld>

const dropOld = Effect.fnUntraced(function*(sql: PgClient.PgClient, kind: PointsKind | EventsKind, cut: number) {
  // The names of a kind's partitions are in the order of their spans.
  const first = partOf(kind, spanOf(kind.span, cut).name)
  const parts = yield* sql.unsafe<{ readonly part: string }>(selectParts, [tableOf(kind).table, first])
  if (parts.length === 0) return
  yield* sql.unsafe(`select set_config('lock_timeout', '${waitsMs}', true)`)
  yield* sql.unsafe(`drop table ${parts.map(({ part }) => part).join(", ")}`).unprepared
})

export const pruneOnce = (
  sql: PgClient.PgClient,
  kind: AnyKind,
  before: number,
  within: Effect.Effect<void, StoreUnavailable>
): Once<{ readonly keptFrom: number }> =>
  Effect.gen(function*() {
    yield* sql.unsafe(`select ${boundIdle(sql)}`)
    if (kind.shape === "documents") {
      yield* sql.unsafe("delete from market_documents where kind = $1 and time < $2::bigint", [
        kind.name,
        String(before)
      ])
      yield* within
      return { keptFrom: before }
    }
    const cut = spanOf(kind.span, before).from
    const [row] = yield* sql.unsafe<{ readonly there: number; readonly series: string | null }>(lockAll, [kind.name])
    const series: ReadonlyArray<SeriesRow> = row!.series === null ? [] : JSON.parse(row!.series)
    if (series.length < row!.there) return yield* new RowHeld()
    const states = series.flatMap((one) => {
      const known = coverageOf(one)
      if (known.first === null || known.first >= cut) return []
      return [stateOf(one.id, coveragePruned(known, cut), isForgotten(known, cut), [])]
    })
    yield* putStates(sql, states)
    yield* within
    yield* Effect.catchIf(dropOld(sql, kind, cut), isLocked, () => new RowHeld())
    return { keptFrom: cut }
  })
