import type { PgClient } from "@effect/sql-pg"
import type { Firing, FiringFence, RenewalResult, WatchUpdate } from "@tapeline/core/personal"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { bigints } from "../parameters.ts"
import { nowMsSql, type OrRowLocked, rowLocked } from "../rowLocks.ts"
import { firingColumns, type FiringRow, type Nullable, type TaskRow, toFiring, toKey } from "./rows.ts"

/** Stores the observed states of watches, except locked watches, which are checked again later. */
export const storeObservationsSql = `with l as (
    select w.account, o.* from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[],
      $6::bigint[], $7::float8[]) as o (task, version, seen, arming, armed, checked_to, last)
    join task_watches w on w.task = o.task and w.version = o.version and w.checked_to = o.seen
    for no key update of w skip locked
  )
  update task_watches w set arming = l.arming, armed = l.armed, checked_to = l.checked_to, last = l.last
  from l where w.account = l.account and w.task = l.task`

const toArrayLiteral = (values: ReadonlyArray<boolean | number | null>): string =>
  `{${values.map((value) => value ?? "null").join(",")}}`

export const storeObservations = (
  sql: PgClient.PgClient,
  observations: ReadonlyArray<WatchUpdate>
): Effect.Effect<unknown, SqlError> =>
  sql.unsafe(storeObservationsSql, [
    bigints(observations.map(({ task }) => task)),
    bigints(observations.map(({ version }) => version)),
    bigints(observations.map(({ previousCheckedTo }) => previousCheckedTo)),
    bigints(observations.map(({ watch }) => watch.arming)),
    toArrayLiteral(observations.map(({ watch }) => watch.armed)),
    bigints(observations.map(({ watch }) => watch.checkedTo)),
    toArrayLiteral(observations.map(({ watch }) => watch.last))
  ])

const isAvailableSql = `id = $1::bigint and state <> 'ended' and renewed_at <= ${nowMsSql} - $2::bigint`

const takeFiringSql = `with t as (select ${nowMsSql} as now), l as (
    select account, id from task_firings where ${isAvailableSql} for no key update skip locked
  ), u as (
    update task_firings f set epoch = f.epoch + 1, renewed_at = greatest(f.renewed_at, t.now) from l, t
    where f.account = l.account and f.id = l.id returning f.*
  )
  select not exists (select from l) and exists (select from task_firings where ${isAvailableSql}) as held, u.*
  from (select) one left join (select ${firingColumns("u")} from u) u on true`

export const attemptTake = (
  sql: PgClient.PgClient,
  firing: number,
  staleMs: number
): Effect.Effect<OrRowLocked<Firing | null>, SqlError> =>
  Effect.map(
    sql.unsafe<Nullable<FiringRow> & { readonly held: boolean }>(takeFiringSql, [
      String(firing),
      String(Math.ceil(staleMs))
    ]),
    // The cast is safe, because a row with an id has all columns.
    ([row]) => row!.held ? rowLocked : row!.id === null ? null : toFiring(row as FiringRow)
  )

const fenceCondition = "id = $1::bigint and epoch = $2::bigint and state <> 'ended'"

/**
 * Extends the lease of a firing, and reads the firing's task. If a generation id is passed, the firing stores the id.
 */
const renewFiringSql = `with t as (select ${nowMsSql} as now), l as (
    select account, id from task_firings where ${fenceCondition} for no key update skip locked
  ), u as (
    update task_firings f set renewed_at = greatest(f.renewed_at, t.now),
      generation = coalesce($3::bigint, f.generation),
      state = case when $3::bigint is null then f.state else 'asked' end
    from l, t where f.account = l.account and f.id = l.id
  )
  select exists (select from l) as done,
    not exists (select from l) and exists (select from task_firings where ${fenceCondition}) as held,
    t.now::float8 as now, s.status, s.key::float8 as key
  from t left join l on true
  left join task_firings f on f.account = l.account and f.id = l.id
  left join tasks s on s.account = f.account and s.id = f.task`

type RenewedFiringRow = Nullable<Pick<TaskRow, "key" | "status">> & {
  readonly done: boolean
  readonly held: boolean
  readonly now: number
}

/**
 * Extends the lease of a firing and returns the firing's task. Returns null if the caller's fencing token is outdated.
 */
export const attemptRenew = (
  sql: PgClient.PgClient,
  { epoch, firing }: FiringFence,
  generation: number | null
): Effect.Effect<OrRowLocked<RenewalResult | null>, SqlError> =>
  Effect.map(
    sql.unsafe<RenewedFiringRow>(renewFiringSql, [
      String(firing),
      String(epoch),
      generation === null ? null : String(generation)
    ]),
    ([row]): OrRowLocked<RenewalResult | null> => {
      const { done, held: isHeld, key, now, status } = row!
      if (isHeld) return rowLocked
      if (!done) return null
      return { now, task: key === null || status === null ? null : { key: toKey(key), status } }
    }
  )

/**
 * Takes or keeps the leadership. A leader whose lease has run for less than a third of its time writes nothing, and
 * neither does a process while another process leads. If the clock of the database was set back, the leader writes, so
 * that its lease does not outlast it by the difference.
 */
const acquireLeadershipSql = `with t as materialized (select ${nowMsSql} as now),
  l as materialized (
    select holder = $1 as is_own, said_at > t.now - $2::bigint as is_valid,
      said_at > t.now - $2::bigint / 3 and said_at <= t.now as is_recent
    from task_leader cross join t
  ),
  taken as (
    insert into task_leader as l (one, holder, said_at)
    select true, $1, t.now from t
    where not exists (select from l where case when is_own then is_recent else is_valid end)
    on conflict (one) do update set holder = excluded.holder, said_at = excluded.said_at
    where l.holder = excluded.holder or l.said_at <= excluded.said_at - $2::bigint
    returning 1 as leads
  )
  select leads from taken union all select 1 from l where is_own and is_recent`

export const acquireLeadership = (
  sql: PgClient.PgClient,
  holder: string,
  leaseMs: number
): Effect.Effect<boolean, SqlError> =>
  Effect.map(sql.unsafe(acquireLeadershipSql, [holder, String(Math.ceil(leaseMs))]), (rows) => rows.length > 0)
