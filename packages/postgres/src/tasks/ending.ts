import type { PgClient } from "@effect/sql-pg"
import type { NewChatMessage } from "@tapeline/core/agent"
import type { StoreUnavailable } from "@tapeline/core/engine"
import {
  ended,
  type Firing,
  type FiringEnd,
  type FiringFence,
  type Notification,
  notificationAtEnd,
  notificationsKept
} from "@tapeline/core/personal"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { bodyOf, withReadPersonal } from "../agent/conversationRows.ts"
import { insertImages } from "../agent/images.ts"
import { boundIdle, nowMs, type OrHeld, RowHeld, wholly } from "../patiently.ts"
import { open, put } from "./putting.ts"
import { firingColumns, type FiringRow, type OrNulls, taskColumns, type TaskRow, toFiring, toTask } from "./rows.ts"

/*
 * The end of a firing, and its move to another conversation: one transaction of the rows of the firing, its task, its
 * conversation and its account. The transaction waits for no row, because waits with locks held can end in a deadlock.
 */

const underFence = "id = $1::bigint and epoch = $2::bigint and state <> 'ended'"

/** Locks a firing and its conversation. */
const lockFiring = (sql: PgClient.PgClient): string =>
  `with l as (
    select * from task_firings where ${underFence} for no key update skip locked
  ), c as (
    select c.id from l join conversations c on c.account = l.account and c.id = l.conversation
    for no key update of c skip locked
  )
  select ${boundIdle(sql)} as bound, ${nowMs}::float8 as now, nextval('conversation_ids')::float8 as fresh,
    (not exists (select from l) and exists (select from task_firings where ${underFence}))
      or (not exists (select from c)
        and exists (select from conversations c where c.account = l.account and c.id = l.conversation)) as held,
    exists (select from c) as housed, ${firingColumns("l")}
  from (select) one left join l on true`

type FiringLock = OrNulls<FiringRow> & {
  readonly now: number
  readonly fresh: number
  readonly held: boolean | null
  readonly housed: boolean
}

/** Locks a firing's task with its watch, and the row of its account. */
const lockTask = `with l as (
    select * from tasks where account = $1::bigint and id = $2::bigint for no key update skip locked
  ), w as (
    select * from task_watches where account = $1::bigint and task = $2::bigint for no key update skip locked
  ), a as (
    select notified from task_accounts where account = $1::bigint for no key update skip locked
  )
  select (not exists (select from l) and exists (select from tasks where account = $1::bigint and id = $2::bigint))
      or (not exists (select from w)
        and exists (select from task_watches where account = $1::bigint and task = $2::bigint))
      or not exists (select from a) as held,
    (select notified::float8 from a) as notified, ${taskColumns("l", "w")}
  from (select) one left join l on true left join w on true`

type TaskLock = OrNulls<TaskRow> & { readonly held: boolean; readonly notified: number | null }

const moveFiring = `with t as (
    update tasks set conversation = $3::bigint where account = $1::bigint and id = $4::bigint
  )
  update task_firings set conversation = $3::bigint, renewed_at = greatest(renewed_at, $5::bigint)
  where account = $1::bigint and id = $2::bigint`

const endFiring = `update task_firings set state = 'ended', outcome = $3, ended_at = $4::bigint
  where account = $1::bigint and id = $2::bigint`

const addReport = `with m as (
    insert into messages (account, conversation, id, role, created_at, identity, body, suggestions)
    values ($1::bigint, $2::bigint, nextval('message_ids'), $3, $4::bigint, $5, $6, $7) returning id
  ), c as (
    update conversations set messages = messages + 1, updated_at = greatest(updated_at, $4::bigint),
      scopes = ${withReadPersonal}
    where account = $1::bigint and id = $2::bigint
  )
  select id::float8 as id from m`

const ringBell = `with a as (
    update task_accounts set notified = $2::bigint where account = $1::bigint
  ), d as (
    delete from notifications where account = $1::bigint and n <= $2::bigint - ${notificationsKept}
  )
  insert into notifications (account, n, time, kind, said, task, conversation)
  values ($1::bigint, $2::bigint, $3::bigint, $4, $5, $6::bigint, $7::bigint)`

/** Locks a firing under its fence, with its task and its account. Null if the fence no longer holds. */
const lock = (sql: PgClient.PgClient, { epoch, firing }: FiringFence) =>
  Effect.gen(function*() {
    const [first] = yield* sql.unsafe<FiringLock>(lockFiring(sql), [String(firing), String(epoch)])
    if (first!.held === true) return yield* new RowHeld()
    if (first!.id === null) return null
    const found = toFiring(first as FiringRow) // a row with an id is complete
    const [second] = yield* sql.unsafe<TaskLock>(lockTask, [String(found.account), String(found.task)])
    if (second!.held) return yield* new RowHeld()
    return {
      firing: found,
      housed: first!.housed,
      fresh: first!.fresh,
      now: first!.now,
      notified: second!.notified ?? 0,
      task: second!.id === null ? null : toTask(second as TaskRow) // a row with an id is complete
    }
  })

/** Opens a new conversation, and moves a firing and its task to it. */
const house = (sql: PgClient.PgClient, firing: Firing, conversation: number, now: number) =>
  Effect.andThen(
    open(sql, firing, conversation, now),
    sql.unsafe(moveFiring, [firing.account, firing.id, conversation, firing.task, now].map(String))
  )

export const rehouseOnce = (
  sql: PgClient.PgClient,
  fence: FiringFence
): Effect.Effect<OrHeld<number | null>, SqlError | StoreUnavailable> =>
  wholly(
    sql,
    Effect.gen(function*() {
      const locked = yield* lock(sql, fence)
      if (locked === null) return null
      yield* house(sql, locked.firing, locked.fresh, locked.now)
      return locked.fresh
    })
  )

const report = (sql: PgClient.PgClient, firing: Firing, message: NewChatMessage, now: number) =>
  Effect.gen(function*() {
    const [row] = yield* sql.unsafe<{ readonly id: number }>(addReport, [
      String(firing.account),
      String(firing.conversation),
      message.role,
      String(now),
      `firing:${firing.id}`,
      bodyOf(message),
      JSON.stringify(message.suggestions)
    ])
    yield* insertImages(sql, firing.account, row!.id, message.images)
  })

/** The account of an ended firing, and its notification, if there is one. */
export interface EndedFiring {
  readonly account: number
  readonly notification: Notification | null
}

/** Ends a firing under its fence, unless another transaction holds rows that it needs. `within` is a failpoint. */
export const endOnce = (
  sql: PgClient.PgClient,
  fence: FiringFence,
  end: FiringEnd,
  within: () => Effect.Effect<void, StoreUnavailable>
): Effect.Effect<OrHeld<EndedFiring | null>, SqlError | StoreUnavailable> =>
  wholly(
    sql,
    Effect.gen(function*() {
      const locked = yield* lock(sql, fence)
      if (locked === null) return null
      yield* within()
      const { fresh, housed, notified, now, task } = locked
      const moves = !housed && end.report !== null
      const firing = moves ? { ...locked.firing, conversation: fresh } : locked.firing
      const { account, conversation, id } = firing
      if (moves) yield* house(sql, firing, fresh, now)
      if (end.report !== null) yield* report(sql, firing, end.report, now)
      const after = task === null ? null : ended({ ...task, ...(moves ? { conversation } : {}) }, firing, end)
      if (after !== null) yield* put(sql, after, now)
      yield* sql.unsafe(endFiring, [String(account), String(id), end.outcome, String(now)])
      const notification = notificationAtEnd(task, after, end)
      if (notification === null) return { account, notification: null }
      const { kind, ...texts } = notification
      const told = housed || moves ? conversation : null
      const n = notified + 1
      yield* sql.unsafe(ringBell, [
        String(account),
        String(n),
        String(now),
        kind,
        JSON.stringify(texts),
        String(firing.task),
        told === null ? null : String(told)
      ])
      const said = { kind, ...texts, task: firing.task, conversation: told }
      return { account, notification: { n, time: now, ...said, read: false } }
    })
  )
