import type { PgClient } from "@effect/sql-pg"
import {
  type EventsKind,
  type Fence,
  marketBounds,
  type MarketStoreRefusal,
  type PointsKind,
  spanOf,
  Superseded,
  tooMany
} from "@tapeline/core/market/store"
import { Data, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { texts } from "../parameters.ts"
import { boundIdle, RowHeld } from "../patiently.ts"
import { seriesColumns, type SeriesRow } from "./series.ts"
import { type AnyKind, partOf, tableOf } from "./tables.ts"

/* The needs of a write before its rows: its fence, the rows of its series, names of sources, and partitions of its
   table. */

/** Something that a write needs does not exist yet. The write is rolled back, and retried after that was made. */
export class NotMade extends Data.TaggedError("NotMade") {}

/** The needs of a write. */
export interface Needs {
  readonly kind: AnyKind
  readonly subjects: ReadonlyArray<string>
  readonly sources: ReadonlyArray<string>
  /** The times of its rows. */
  readonly times: Iterable<number>
}

/** Returns the spans that contain the given times, by name. */
const spansOf = (kind: PointsKind | EventsKind, times: Iterable<number>) => {
  const spans = new Map<string, ReturnType<typeof spanOf>>()
  let known: ReturnType<typeof spanOf> | undefined
  for (const time of times) {
    if (known !== undefined && time >= known.from && time < known.to) continue
    known = spanOf(kind.span, time)
    spans.set(known.name, known)
  }
  return spans
}

const partsOf = ({ kind, times }: Needs): ReadonlyArray<string> =>
  kind.shape === "documents" ? [] : [...spansOf(kind, times).keys()].map((span) => partOf(kind, span))

/**
 * Rows that other transactions hold are skipped instead of waited for, which prevents deadlocks. The writes under a
 * lease share its row. No process can take the lease from them while they run.
 */
const lockFence = `with l as (
    select from market_leases where source = $1 and epoch = $2::bigint for share skip locked
  )
  select exists (select from l) as leads,
    exists (select from market_leases where source = $1 and epoch = $2::bigint) as stands`

const lockSeries = `with s as (
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

/** The locked series of a write by subject, and the ids of its sources by name. */
export interface Locked {
  readonly series: ReadonlyMap<string, SeriesRow>
  readonly sources: ReadonlyMap<string, number>
}

/** Locks the fence of a write. Must run before all other locks. */
export const underFence = Effect.fnUntraced(function*(sql: PgClient.PgClient, { epoch, source }: Fence) {
  yield* sql.unsafe(`select ${boundIdle(sql)}`)
  const [row] = yield* sql.unsafe<{ readonly leads: boolean; readonly stands: boolean }>(lockFence, [
    source,
    String(epoch)
  ])
  if (row!.leads) return
  return yield* row!.stands ? new RowHeld() : new Superseded({ source })
})

/** Locks the other needs of a write. Fails if another transaction holds one of them, or if one must be made first. */
export const lockWrite = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  needs: Needs
): Effect.fn.Return<Locked, SqlError | RowHeld | NotMade> {
  const { kind, subjects } = needs
  const names = [...new Set(needs.sources)]
  const [row] = yield* sql.unsafe<LockedRow>(lockSeries, [
    kind.name,
    texts(subjects),
    texts(names),
    texts(partsOf(needs))
  ])
  const series: ReadonlyArray<SeriesRow> = row!.series === null ? [] : JSON.parse(row!.series)
  const sources: Readonly<Record<string, number>> = row!.sources === null ? {} : JSON.parse(row!.sources)
  if (series.length < row!.there) return yield* new RowHeld()
  const known = new Map(Object.entries(sources))
  if (row!.there < subjects.length || known.size < names.length || row!.parts.length > 0) return yield* new NotMade()
  return { series: new Map(series.map((one) => [one.subject, one])), sources: known }
})

// A full store is reported before anything is made.
const makeSeries = `with k as (select count(*) as known from market_series where kind = $1 and subject <> ''),
  n as (
    select unnest($2::text[]) as subject except select subject from market_series where kind = $1
  ), f as (select count(*) filter (where subject <> '') as fresh from n),
  made as (
    insert into market_series (kind, subject) select $1, subject from n, k, f
    where k.known + f.fresh <= ${marketBounds.subjects} order by subject
    on conflict (kind, subject) do nothing
  )
  select f.fresh > 0 and k.known + f.fresh > ${marketBounds.subjects} as full from k, f`

const makeSources = `with k as (select count(*) as known from market_sources),
  n as (select unnest($1::text[]) as name except select name from market_sources),
  f as (select count(*) as fresh from n),
  made as (
    insert into market_sources (name) select name from n, k, f
    where k.known + f.fresh <= ${marketBounds.sources} order by name
    on conflict (name) do nothing
  )
  select f.fresh > 0 and k.known + f.fresh > ${marketBounds.sources} as full from k, f`

/** Adds a partition without a lock that reads or writes of the table would wait for. */
const makePart = (sql: PgClient.PgClient, table: string, part: string, from: number, to: number) =>
  sql.withTransaction(Effect.gen(function*() {
    yield* sql.unsafe(`select ${boundIdle(sql)}, set_config('lock_timeout', '${waitsMs}', true)`)
    yield* sql.unsafe(`lock table ${table} in share update exclusive mode`)
    const [found] = yield* sql.unsafe<{ readonly there: boolean }>("select to_regclass($1) is not null as there", [
      part
    ])
    if (found!.there) return
    yield* sql.unsafe(`create table ${part} (like ${table} including all)`).unprepared
    yield* sql.unsafe(`alter table ${table} attach partition ${part} for values from (${from}) to (${to})`).unprepared
  }))

/** How long to wait for other transactions when a partition is added. */
const waitsMs = 1_000

/** Makes the needs of a write that do not exist. */
export const makeNeeds = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  needs: Needs
): Effect.fn.Return<void, SqlError | MarketStoreRefusal> {
  const { kind, sources, subjects } = needs
  const [series] = yield* sql.unsafe<{ readonly full: boolean }>(makeSeries, [kind.name, texts(subjects)])
  if (series!.full) return yield* tooMany(kind.name, "subjects", marketBounds.subjects)
  const [named] = yield* sql.unsafe<{ readonly full: boolean }>(makeSources, [texts([...new Set(sources)])])
  if (named!.full) return yield* tooMany(kind.name, "sources", marketBounds.sources)
  if (kind.shape === "documents") return
  for (const { from, name, to } of spansOf(kind, needs.times).values()) {
    yield* makePart(sql, tableOf(kind).table, partOf(kind, name), from, to)
  }
})
