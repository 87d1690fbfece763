import type { PgClient } from "@effect/sql-pg"
import type { StoreUnavailable } from "@tapeline/core/engine"
import {
  type EventsKind,
  type Fence,
  marketStoreLimits,
  type MarketStoreRefusal,
  periodOf,
  type PointsKind,
  storeFull,
  Superseded,
  type WriteResult
} from "@tapeline/core/market/store"
import { Data, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { texts } from "../parameters.ts"
import { idleTimeoutSql, RowLocked } from "../rowLocks.ts"
import { type AnyKind, findTable, makePartitionName, seriesColumns, type SeriesRow } from "./tables.ts"

/*
 * A write needs four things: a fence, the rows of its series, the ids of its sources, and the partitions of its table.
 */

/**
 * A row or a partition that a write requires does not exist yet. A write that fails with `RowsMissing` is rolled back,
 * and retried after the missing rows and partitions are created.
 */
export class RowsMissing extends Data.TaggedError("RowsMissing") {}

export interface WriteRequirements {
  readonly kind: AnyKind
  readonly subjects: ReadonlyArray<string>
  readonly sources: ReadonlyArray<string>
  readonly times: Iterable<number>
}

/** Returns the partition periods that contain the given times, by period name. */
const listSpans = (kind: PointsKind | EventsKind, times: Iterable<number>) => {
  const spans = new Map<string, ReturnType<typeof periodOf>>()
  let span: ReturnType<typeof periodOf> | undefined
  for (const time of times) {
    if (span !== undefined && time >= span.from && time < span.to) continue
    span = periodOf(kind.period, time)
    spans.set(span.name, span)
  }
  return spans
}

const listPartitions = ({ kind, times }: WriteRequirements): ReadonlyArray<string> =>
  kind.shape === "documents" ? [] : [...listSpans(kind, times).keys()].map((span) => makePartitionName(kind, span))

/**
 * Locks the lease that authorizes a write. Skips a lease that another transaction has locked, because waiting could
 * cause a deadlock. Writes share the lock on the lease, so several writes of the lease holder can run at once. No other
 * process can take a lease while a write holds the lock.
 */
const lockFenceSql = `with l as (
    select from market_leases where source = $1 and epoch = $2::bigint for share skip locked
  )
  select exists (select from l) as leads,
    exists (select from market_leases where source = $1 and epoch = $2::bigint) as stands`

const lockSeriesSql = `with s as (
    select * from market_series where kind = $1 and subject = any ($2::text[]) order by id
    for no key update skip locked
  )
  select (select count(*)::integer from market_series where kind = $1 and subject = any ($2::text[])) as there,
    array(select p from unnest($4::text[]) p where to_regclass(p) is null) as parts,
    (select json_object_agg(name, id)::text from market_sources where name = any ($3::text[])) as sources,
    (select json_agg(s)::text from (select ${seriesColumns} from s) s) as series`

interface LockedRow {
  readonly there: number
  readonly parts: ReadonlyArray<string>
  readonly sources: string | null
  readonly series: string | null
}

/** The series that a write has locked, by subject, and the ids of the write's sources, by name. */
export interface LockedSeries {
  readonly series: ReadonlyMap<string, SeriesRow>
  readonly sources: ReadonlyMap<string, number>
}

/** Locks the lease that authorizes a write. A transaction must lock the lease before all other rows. */
export const lockWriteFence = Effect.fnUntraced(function*(sql: PgClient.PgClient, { epoch, source }: Fence) {
  yield* sql.unsafe(`select ${idleTimeoutSql(sql)}`)
  const [row] = yield* sql.unsafe<{ readonly leads: boolean; readonly stands: boolean }>(lockFenceSql, [
    source,
    String(epoch)
  ])
  if (row!.leads) return
  return yield* row!.stands ? new RowLocked() : new Superseded({ source })
})

/**
 * Locks the series that a write needs, and returns the ids of the write's sources. Fails with `RowLocked` if another
 * transaction has locked a series. Fails with `RowsMissing` if a series, source or partition is missing.
 */
export const lockRequirements = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  requirements: WriteRequirements
): Effect.fn.Return<LockedSeries, SqlError | RowLocked | RowsMissing> {
  const { kind, subjects } = requirements
  const names = [...new Set(requirements.sources)]
  const [row] = yield* sql.unsafe<LockedRow>(lockSeriesSql, [
    kind.name,
    texts(subjects),
    texts(names),
    texts(listPartitions(requirements))
  ])
  const series: ReadonlyArray<SeriesRow> = row!.series === null ? [] : JSON.parse(row!.series)
  const sources: Readonly<Record<string, number>> = row!.sources === null ? {} : JSON.parse(row!.sources)
  if (series.length < row!.there) return yield* new RowLocked()
  const sourceIds = new Map(Object.entries(sources))
  if (row!.there < subjects.length || sourceIds.size < names.length || row!.parts.length > 0) {
    return yield* new RowsMissing()
  }
  return { series: new Map(series.map((row) => [row.subject, row])), sources: sourceIds }
})

// A full store is reported before any series or source is created.
const insertSeries = `with k as (select count(*) as known from market_series where kind = $1 and subject <> ''),
  n as (
    select unnest($2::text[]) as subject except select subject from market_series where kind = $1
  ), f as (select count(*) filter (where subject <> '') as fresh from n),
  made as (
    insert into market_series (kind, subject) select $1, subject from n, k, f
    where k.known + f.fresh <= ${marketStoreLimits.maxSubjects} order by subject
    on conflict (kind, subject) do nothing
  )
  select f.fresh > 0 and k.known + f.fresh > ${marketStoreLimits.maxSubjects} as full from k, f`

const insertSources = `with k as (select count(*) as known from market_sources),
  n as (select unnest($1::text[]) as name except select name from market_sources),
  f as (select count(*) as fresh from n),
  made as (
    insert into market_sources (name) select name from n, k, f
    where k.known + f.fresh <= ${marketStoreLimits.maxSources} order by name
    on conflict (name) do nothing
  )
  select f.fresh > 0 and k.known + f.fresh > ${marketStoreLimits.maxSources} as full from k, f`

/** Creates a partition, without a lock that blocks reads or writes of the table. */
const createPartition = (sql: PgClient.PgClient, table: string, partition: string, from: number, to: number) =>
  sql.withTransaction(Effect.gen(function*() {
    yield* sql.unsafe(`select ${idleTimeoutSql(sql)}, set_config('lock_timeout', '${partitionLockTimeoutMs}', true)`)
    yield* sql.unsafe(`lock table ${table} in share update exclusive mode`)
    const [found] = yield* sql.unsafe<{ readonly there: boolean }>("select to_regclass($1) is not null as there", [
      partition
    ])
    if (found!.there) return
    yield* sql.unsafe(`create table ${partition} (like ${table} including all)`).unprepared
    yield* sql.unsafe(`alter table ${table} attach partition ${partition} for values from (${from}) to (${to})`)
      .unprepared
  }))

/** The time that the creation of a partition waits for other transactions, in ms. */
const partitionLockTimeoutMs = 1_000

export const createRequirements = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  requirements: WriteRequirements
): Effect.fn.Return<void, SqlError | MarketStoreRefusal> {
  const { kind, sources, subjects } = requirements
  const [series] = yield* sql.unsafe<{ readonly full: boolean }>(insertSeries, [kind.name, texts(subjects)])
  if (series!.full) return yield* storeFull(kind.name, "subjects", marketStoreLimits.maxSubjects)
  const [sourceResult] = yield* sql.unsafe<{ readonly full: boolean }>(insertSources, [texts([...new Set(sources)])])
  if (sourceResult!.full) return yield* storeFull(kind.name, "sources", marketStoreLimits.maxSources)
  if (kind.shape === "documents") return
  for (const { from, name, to } of listSpans(kind, requirements.times).values()) {
    yield* createPartition(sql, findTable(kind).table, makePartitionName(kind, name), from, to)
  }
})

/** A validated write of market data, which runs in a transaction. */
export interface MarketWriteTransaction {
  readonly fence: Fence
  /**
   * The rows and partitions that the write needs. If a row or partition is missing, the write fails with `RowsMissing`
   * and changes nothing.
   */
  readonly requirements: WriteRequirements
  /** Runs the write. `runFailpoint` runs between the writing of the rows and the update of the coverage. */
  readonly run: (
    sql: PgClient.PgClient,
    runFailpoint: Effect.Effect<void, StoreUnavailable>
  ) => Effect.Effect<
    WriteResult,
    SqlError | StoreUnavailable | RowLocked | RowsMissing | Superseded | MarketStoreRefusal
  >
}
