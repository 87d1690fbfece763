import type { PgClient } from "@effect/sql-pg"
import type { NewChatMessage } from "@tapeline/core/agent"
import type { StoreUnavailable } from "@tapeline/core/engine"
import {
  applyEnd,
  type Firing,
  type FiringEnd,
  type FiringFence,
  maxNotifications,
  type Notification,
  selectNotification
} from "@tapeline/core/personal"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { encodeBody, scopesWithReadPersonalSql } from "../agent/conversationRows.ts"
import { insertImages } from "../agent/images.ts"
import { idleTimeoutSql, nowMsSql, type OrRowLocked, RowLocked, runTransaction } from "../rowLocks.ts"
import { firingColumns, type FiringRow, type Nullable, taskColumns, type TaskRow, toFiring, toTask } from "./rows.ts"
import { insertConversation, upsertTask } from "./taskWrites.ts"

/*
 * The statements of this file end a firing, or move it to another conversation. The statements never wait for a locked
 * row, because waiting with locks held can deadlock.
 */

const fenceCondition = "id = $1::bigint and epoch = $2::bigint and state <> 'ended'"

const lockFiringSql = (sql: PgClient.PgClient): string =>
  `with l as (
    select * from task_firings where ${fenceCondition} for no key update skip locked
  ), c as (
    select c.id from l join conversations c on c.account = l.account and c.id = l.conversation
    for no key update of c skip locked
  )
  select ${idleTimeoutSql(sql)} as bound, ${nowMsSql}::float8 as now, nextval('conversation_ids')::float8 as fresh,
    (not exists (select from l) and exists (select from task_firings where ${fenceCondition}))
      or (not exists (select from c)
        and exists (select from conversations c where c.account = l.account and c.id = l.conversation)) as held,
    exists (select from c) as housed, ${firingColumns("l")}
  from (select) one left join l on true`

type LockedFiringRow = Nullable<FiringRow> & {
  readonly now: number
  readonly fresh: number
  readonly held: boolean | null
  readonly housed: boolean
}

const lockTaskSql = `with l as (
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

type LockedTaskRow = Nullable<TaskRow> & { readonly held: boolean; readonly notified: number | null }

const moveFiringSql = `with t as (
    update tasks set conversation = $3::bigint where account = $1::bigint and id = $4::bigint
  )
  update task_firings set conversation = $3::bigint, renewed_at = greatest(renewed_at, $5::bigint)
  where account = $1::bigint and id = $2::bigint`

const endFiringSql = `update task_firings set state = 'ended', outcome = $3, ended_at = $4::bigint
  where account = $1::bigint and id = $2::bigint`

const insertReportSql = `with m as (
    insert into messages (account, conversation, id, role, created_at, identity, body, suggestions, scopes_stored)
    values ($1::bigint, $2::bigint, nextval('message_ids'), $3, $4::bigint, $5, $6, $7, true) returning id
  ), c as (
    update conversations set messages = messages + 1, updated_at = greatest(updated_at, $4::bigint),
      scopes = ${scopesWithReadPersonalSql}
    where account = $1::bigint and id = $2::bigint
  )
  select id::float8 as id from m`

const insertNotification = `with a as (
    update task_accounts set notified = $2::bigint where account = $1::bigint
  ), d as (
    delete from notifications where account = $1::bigint and n <= $2::bigint - ${maxNotifications}
  )
  insert into notifications (account, n, time, kind, said, task, conversation)
  values ($1::bigint, $2::bigint, $3::bigint, $4, $5, $6::bigint, $7::bigint)`

/** Locks a firing, its task and its account. Returns null if the caller's fencing token is outdated. */
const lockWithTask = (sql: PgClient.PgClient, { epoch, firing }: FiringFence) =>
  Effect.gen(function*() {
    const [firingRow] = yield* sql.unsafe<LockedFiringRow>(lockFiringSql(sql), [String(firing), String(epoch)])
    if (firingRow!.held === true) return yield* new RowLocked()
    if (firingRow!.id === null) return null
    const lockedFiring = toFiring(firingRow as FiringRow) // a row with an id has all columns
    const [taskRow] = yield* sql.unsafe<LockedTaskRow>(lockTaskSql, [
      String(lockedFiring.account),
      String(lockedFiring.task)
    ])
    if (taskRow!.held) return yield* new RowLocked()
    return {
      firing: lockedFiring,
      hasConversation: firingRow!.housed,
      newConversation: firingRow!.fresh,
      now: firingRow!.now,
      notified: taskRow!.notified ?? 0,
      task: taskRow!.id === null ? null : toTask(taskRow as TaskRow) // a row with an id has all columns
    }
  })

const moveToNewConversation = (sql: PgClient.PgClient, firing: Firing, conversation: number, now: number) =>
  Effect.andThen(
    insertConversation(sql, firing, conversation, now),
    sql.unsafe(moveFiringSql, [firing.account, firing.id, conversation, firing.task, now].map(String))
  )

export const attemptMove = (
  sql: PgClient.PgClient,
  fence: FiringFence
): Effect.Effect<OrRowLocked<number | null>, SqlError | StoreUnavailable> =>
  runTransaction(
    sql,
    Effect.gen(function*() {
      const locked = yield* lockWithTask(sql, fence)
      if (locked === null) return null
      yield* moveToNewConversation(sql, locked.firing, locked.newConversation, locked.now)
      return locked.newConversation
    })
  )

const insertReport = (sql: PgClient.PgClient, firing: Firing, message: NewChatMessage, now: number) =>
  Effect.gen(function*() {
    const [row] = yield* sql.unsafe<{ readonly id: number }>(insertReportSql, [
      String(firing.account),
      String(firing.conversation),
      message.role,
      String(now),
      `firing:${firing.id}`,
      encodeBody(message),
      JSON.stringify(message.suggestions)
    ])
    yield* insertImages(sql, firing.account, row!.id, message.images)
  })

/** The result of ending a firing. `notification` is null if the firing caused no notification. */
export interface FiringEndResult {
  readonly account: number
  readonly notification: Notification | null
}

/** Ends a firing, unless another transaction has locked a necessary row; `runFailpoint` runs within the transaction. */
export const attemptEnd = (
  sql: PgClient.PgClient,
  fence: FiringFence,
  end: FiringEnd,
  runFailpoint: () => Effect.Effect<void, StoreUnavailable>
): Effect.Effect<OrRowLocked<FiringEndResult | null>, SqlError | StoreUnavailable> =>
  runTransaction(
    sql,
    Effect.gen(function*() {
      const locked = yield* lockWithTask(sql, fence)
      if (locked === null) return null
      yield* runFailpoint()
      const { newConversation, hasConversation, notified, now, task } = locked
      const mustMove = !hasConversation && end.report !== null
      const firing = mustMove ? { ...locked.firing, conversation: newConversation } : locked.firing
      const { account, conversation, id } = firing
      if (mustMove) yield* moveToNewConversation(sql, firing, newConversation, now)
      if (end.report !== null) yield* insertReport(sql, firing, end.report, now)
      const taskAfterEnd = task === null
        ? null
        : applyEnd({ ...task, ...(mustMove ? { conversation } : {}) }, firing, end)
      if (taskAfterEnd !== null) yield* upsertTask(sql, taskAfterEnd, now)
      yield* sql.unsafe(endFiringSql, [String(account), String(id), end.outcome, String(now)])
      const notification = selectNotification(task, taskAfterEnd, end)
      if (notification === null) return { account, notification: null }
      const { kind, ...texts } = notification
      const shownConversation = hasConversation || mustMove ? conversation : null
      const n = notified + 1
      yield* sql.unsafe(insertNotification, [
        String(account),
        String(n),
        String(now),
        kind,
        JSON.stringify(texts),
        String(firing.task),
        shownConversation === null ? null : String(shownConversation)
      ])
      const fields = { kind, ...texts, task: firing.task, conversation: shownConversation }
      return { account, notification: { n, time: now, ...fields, read: false } }
    })
  )
