import type { PgClient } from "@effect/sql-pg"
import type { StoreUnavailable } from "@tapeline/core/engine"
import { type Claim, claimed, type Firing } from "@tapeline/core/personal"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { boundIdle, nowMs, type OrHeld, RowHeld, wholly } from "../patiently.ts"
import { put } from "./putting.ts"
import { type OrNulls, owner, saidOfFiring, taskColumns, type TaskRow, toTask } from "./rows.ts"

/* A claim: one transaction of the task's row, of its watch's row, and of the firing. */

const lockToClaim = (sql: PgClient.PgClient): string =>
  `with l as (
    select * from tasks where id = $1::bigint for no key update skip locked
  ), w as (
    select w.* from l join task_watches w on w.account = l.account and w.task = l.id
    for no key update of w skip locked
  )
  select ${boundIdle(sql)} as bound, nextval('firing_ids')::float8 as fresh, ${nowMs}::float8 as now,
    (not exists (select from l) and exists (select from tasks where id = $1::bigint))
      or (l.kind = 'watch' and not exists (select from w)) as held,
    exists (select from task_firings f where f.account = l.account and f.task = l.id and f.due = $2) as has_fired, ${
    taskColumns("l", "w")
  }
  from (select) one left join l on true left join w on true`

type LockRow = OrNulls<TaskRow> & {
  readonly fresh: number
  readonly now: number
  readonly held: boolean | null
  readonly has_fired: boolean
}

const addFiring = `insert into task_firings (account, id, task, due, due_at, late_by, missed, said, lang, key,
    conversation, claimed_at, epoch, renewed_at, state)
  values ($1::bigint, $2::bigint, $3::bigint, $4, $5::bigint, $6::bigint, $7::bigint, $8, $9, $10::bigint,
    $11::bigint, $12::bigint, 1, $12::bigint, 'claimed')`

const add = (sql: PgClient.PgClient, firing: Firing) =>
  sql.unsafe(addFiring, [
    String(firing.account),
    String(firing.id),
    String(firing.task),
    firing.due,
    String(firing.dueAt),
    String(firing.lateByMs),
    String(firing.missed),
    saidOfFiring(firing),
    firing.lang,
    String(firing.key ?? owner),
    String(firing.conversation),
    String(firing.claimedAt)
  ])

/** Claims a task, unless another transaction holds it. `within` is a failpoint. */
export const claimOnce = (
  sql: PgClient.PgClient,
  claim: Claim,
  within: () => Effect.Effect<void, StoreUnavailable>
): Effect.Effect<OrHeld<Firing | null>, SqlError | StoreUnavailable> =>
  wholly(
    sql,
    Effect.gen(function*() {
      const [row] = yield* sql.unsafe<LockRow>(lockToClaim(sql), [String(claim.task), claim.due])
      const { fresh: id, has_fired, held, now } = row!
      if (held === true) return yield* new RowHeld()
      if (row!.id === null) return null
      const came = claimed(toTask(row as TaskRow), claim, has_fired, { id, now }) // a row with an id is complete
      if (came === null) return null
      yield* within()
      yield* put(sql, came.task, now)
      if (came.firing !== null) yield* add(sql, came.firing)
      return came.firing
    })
  )
