import type { PgClient } from "@effect/sql-pg"
import type { StoreUnavailable } from "@tapeline/core/engine"
import { applyClaim, type Claim, type Firing } from "@tapeline/core/personal"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { idleTimeoutSql, nowMsSql, type OrRowLocked, RowLocked, runTransaction } from "../rowLocks.ts"
import { encodeFiring, type Nullable, ownerKey, taskColumns, type TaskRow, toTask } from "./rows.ts"
import { upsertTask } from "./taskWrites.ts"

const lockForClaimSql = (sql: PgClient.PgClient): string =>
  `with l as (
    select * from tasks where id = $1::bigint for no key update skip locked
  ), w as (
    select w.* from l join task_watches w on w.account = l.account and w.task = l.id
    for no key update of w skip locked
  )
  select ${idleTimeoutSql(sql)} as bound, nextval('firing_ids')::float8 as fresh, ${nowMsSql}::float8 as now,
    (not exists (select from l) and exists (select from tasks where id = $1::bigint))
      or (l.kind = 'watch' and not exists (select from w)) as held,
    exists (select from task_firings f where f.account = l.account and f.task = l.id and f.due = $2) as has_fired, ${
    taskColumns("l", "w")
  }
  from (select) one left join l on true left join w on true`

type LockedTaskRow = Nullable<TaskRow> & {
  readonly fresh: number
  readonly now: number
  readonly held: boolean | null
  readonly has_fired: boolean
}

const insertFiringSql = `insert into task_firings (account, id, task, due, due_at, late_by, missed, said, lang, key,
    conversation, claimed_at, epoch, renewed_at, state)
  values ($1::bigint, $2::bigint, $3::bigint, $4, $5::bigint, $6::bigint, $7::bigint, $8, $9, $10::bigint,
    $11::bigint, $12::bigint, 1, $12::bigint, 'claimed')`

const insertFiring = (sql: PgClient.PgClient, firing: Firing) =>
  sql.unsafe(insertFiringSql, [
    String(firing.account),
    String(firing.id),
    String(firing.task),
    firing.due,
    String(firing.dueAt),
    String(firing.lateByMs),
    String(firing.missed),
    encodeFiring(firing),
    firing.lang,
    String(firing.key ?? ownerKey),
    String(firing.conversation),
    String(firing.claimedAt)
  ])

/** Claims a task, unless another transaction has locked the task; `runFailpoint` runs within the transaction. */
export const attemptClaim = (
  sql: PgClient.PgClient,
  claim: Claim,
  runFailpoint: () => Effect.Effect<void, StoreUnavailable>
): Effect.Effect<OrRowLocked<Firing | null>, SqlError | StoreUnavailable> =>
  runTransaction(
    sql,
    Effect.gen(function*() {
      const [row] = yield* sql.unsafe<LockedTaskRow>(lockForClaimSql(sql), [String(claim.task), claim.due])
      const { fresh: id, has_fired, held, now } = row!
      if (held === true) return yield* new RowLocked()
      if (row!.id === null) return null
      // The cast is safe, because a row with an id has all columns.
      const claimResult = applyClaim(toTask(row as TaskRow), claim, has_fired, { id, now })
      if (claimResult === null) return null
      yield* runFailpoint()
      yield* upsertTask(sql, claimResult.task, now)
      if (claimResult.firing !== null) yield* insertFiring(sql, claimResult.firing)
      return claimResult.firing
    })
  )
