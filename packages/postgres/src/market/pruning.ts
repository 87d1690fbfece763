import type { PgClient } from "@effect/sql-pg"
import type { StoreUnavailable } from "@tapeline/core/engine"
import {
  type EventsKind,
  isPrunedBelowWatermark,
  periodOf,
  type PointsKind,
  pruneCoverage
} from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { idleTimeoutSql, isLockTimeout, RowLocked } from "../rowLocks.ts"
import { storeStates, toSeriesState } from "./coverage.ts"
import { type AnyKind, findTable, makePartitionName, seriesColumns, type SeriesRow, toCoverage } from "./tables.ts"

/*
 * Pruning deletes old data in one transaction: it drops complete partitions, and removes old intervals from the
 * coverage.
 */

/**
 * The maximum time in ms that pruning waits for readers of a partition. Other statements queue behind a waiting pruning
 * statement, so the limit is short.
 */
const lockTimeoutMs = 200

const lockAllSeries = `with s as (
    select * from market_series where kind = $1 order by id for no key update skip locked
  )
  select (select count(*)::integer from market_series where kind = $1) as there,
    (select json_agg(s)::text from (select ${seriesColumns} from s) s) as series`

const selectOldPartitions = `select c.relname::text as part from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = to_regclass($1) and c.relname < $2 order by c.relname`

type PruneEffect<A> = Effect.Effect<A, SqlError | StoreUnavailable | RowLocked>

const dropOldPartitions = Effect.fnUntraced(
  function*(sql: PgClient.PgClient, kind: PointsKind | EventsKind, keptFrom: number) {
    // The partition names of a kind are sorted like the partitions' periods.
    const first = makePartitionName(kind, periodOf(kind.period, keptFrom).name)
    const partitions = yield* sql.unsafe<{ readonly part: string }>(selectOldPartitions, [findTable(kind).table, first])
    if (partitions.length === 0) return
    yield* sql.unsafe(`select set_config('lock_timeout', '${lockTimeoutMs}', true)`)
    yield* sql.unsafe(`drop table ${partitions.map(({ part }) => part).join(", ")}`).unprepared
  }
)

export const attemptPrune = (
  sql: PgClient.PgClient,
  kind: AnyKind,
  before: number,
  runFailpoint: Effect.Effect<void, StoreUnavailable>
): PruneEffect<{ readonly keptFrom: number }> =>
  Effect.gen(function*() {
    yield* sql.unsafe(`select ${idleTimeoutSql(sql)}`)
    if (kind.shape === "documents") {
      yield* sql.unsafe("delete from market_documents where kind = $1 and time < $2::bigint", [
        kind.name,
        String(before)
      ])
      yield* runFailpoint
      return { keptFrom: before }
    }
    const keptFrom = periodOf(kind.period, before).from
    const [row] = yield* sql.unsafe<{ readonly there: number; readonly series: string | null }>(lockAllSeries, [
      kind.name
    ])
    const series: ReadonlyArray<SeriesRow> = row!.series === null ? [] : JSON.parse(row!.series)
    if (series.length < row!.there) return yield* new RowLocked()
    const states = series.flatMap((seriesRow) => {
      const coverage = toCoverage(seriesRow)
      if (coverage.firstAt === null || coverage.firstAt >= keptFrom) return []
      const isRevised = isPrunedBelowWatermark(coverage, keptFrom)
      return [toSeriesState(seriesRow.id, pruneCoverage(coverage, keptFrom), isRevised, [])]
    })
    yield* storeStates(sql, states)
    yield* runFailpoint
    yield* Effect.catchIf(dropOldPartitions(sql, kind, keptFrom), isLockTimeout, () => new RowLocked())
    return { keptFrom }
  })
