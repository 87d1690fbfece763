import type { PgClient } from "@effect/sql-pg"
import type { StoreUnavailable } from "@tapeline/core/engine"
import {
  changeActor,
  decideTask,
  maxNotifications,
  type Task,
  type TaskChange,
  type TaskChangeError,
  type TaskChangeResult,
  type TaskEffects,
  writeRetentionMs
} from "@tapeline/core/personal"
import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { hasActorEnded, isKeyLimited } from "../access/actorLock.ts"
import { nowMsSql, type OrRowLocked, RowLocked, runTransaction } from "../rowLocks.ts"
import { lockAccount } from "./accountLock.ts"
import { type Nullable, taskColumns, type TaskRow, toTask, writtenJson } from "./rows.ts"
import { insertConversation, upsertTask } from "./taskWrites.ts"

/*
 * Data is read only after the account's row is locked, in a separate statement. A single statement that waits for the
 * lock would see data from before the wait.
 */

/** Locks a task and its watch, and selects the state that decides whether a change is accepted. */
const selectChangeState = `with l as (
    select * from tasks where account = $1::bigint and id = $3::bigint for no key update skip locked
  ), w as (
    select w.* from task_watches w where account = $1::bigint and task = $3::bigint for no key update skip locked
  )
  select nextval('task_ids')::float8 as fresh, nextval('conversation_ids')::float8 as conversation_id,
    ${nowMsSql}::float8 as now,
    (select answer from task_writes where account = $1::bigint and call = $2
      and written_at > ${nowMsSql} - ${writeRetentionMs}) as answer,
    (select count(*)::float8 from tasks where account = $1::bigint and status <> 'done') as open,
    exists (select from conversations where account = $1::bigint and id = $4::bigint) as has_conversation,
    exists (select from task_firings
      where account = $1::bigint and task = $3::bigint and state <> 'ended') as is_firing,
    (not exists (select from l) and exists (select from tasks where account = $1::bigint and id = $3::bigint))
      or (not exists (select from w)
        and exists (select from task_watches where account = $1::bigint and task = $3::bigint)) as held, ${
  taskColumns("l", "w")
}
  from (select) one left join l on true left join w on true`

type ChangeStateRow = Nullable<TaskRow> & {
  readonly fresh: number
  readonly conversation_id: number
  readonly now: number
  readonly answer: string | null
  readonly open: number
  readonly has_conversation: boolean
  readonly is_firing: boolean
  readonly held: boolean
}

const deleteTask = `with w as (
    delete from task_watches where account = $1::bigint and task = $2::bigint
  )
  delete from tasks where account = $1::bigint and id = $2::bigint`

const storeWrite = `insert into task_writes (account, call, answer, written_at) values ($1::bigint, $2, $3, ${nowMsSql})
  on conflict (account, call) do update set answer = excluded.answer, written_at = excluded.written_at`

/** Adds a notification to the account, whose row the transaction has locked. */
const insertNotification = `with a as (
    update task_accounts set notified = notified + 1 where account = $1::bigint returning notified
  ), d as (
    delete from notifications where account = $1::bigint and n <= (select notified from a) - ${maxNotifications}
  )
  insert into notifications (account, n, time, kind, said, task, conversation)
  select $1::bigint, notified, $2::bigint, $3, $4, $5::bigint, $6::bigint from a returning n::float8 as n`

const addNotification = (
  sql: PgClient.PgClient,
  { account, conversation, id }: Task,
  { kind, ...texts }: NonNullable<TaskEffects["notification"]>,
  now: number
) =>
  Effect.map(
    sql.unsafe<{ readonly n: number }>(insertNotification, [
      String(account),
      String(now),
      kind,
      JSON.stringify(texts),
      String(id),
      String(conversation)
    ]),
    ([row]) => row!.n
  )

/** Returns the task id and the conversation id of a change, with 0 for a missing id. */
const readNamedIds = (change: TaskChange) =>
  change._tag === "Create" ? { task: 0, conversation: change.conversation ?? 0 } : { task: change.id, conversation: 0 }

export const attemptWrite = (
  sql: PgClient.PgClient,
  account: number,
  callId: string,
  change: TaskChange
): Effect.Effect<
  OrRowLocked<{ readonly result: Result.Result<TaskChangeResult, TaskChangeError>; readonly notified: number | null }>,
  SqlError | StoreUnavailable
> =>
  runTransaction(
    sql,
    Effect.gen(function*() {
      yield* lockAccount(sql, account)
      const { conversation, task } = readNamedIds(change)
      const [row] = yield* sql.unsafe<ChangeStateRow>(selectChangeState, [
        String(account),
        callId,
        String(task),
        String(conversation)
      ])
      const { answer, conversation_id, fresh, held, now } = row!
      if (answer !== null) return { result: Result.succeed(writtenJson.read(answer)), notified: null }
      if (held) return yield* new RowLocked()
      const decision = decideTask(account, change, {
        task: row!.id === null ? null : toTask(row as TaskRow), // a row with an id has all columns
        openTasks: row!.open,
        hasConversation: row!.has_conversation,
        hasEnded: yield* hasActorEnded(sql, account, changeActor(change)),
        isKeyLimited: yield* isKeyLimited(sql, account, changeActor(change)),
        isFiring: row!.is_firing
      }, { id: fresh, conversation: conversation_id, now })
      if (Result.isFailure(decision)) return { result: Result.fail(decision.failure), notified: null }
      const { effects: { createsConversation, notification, put: changedTask, remove }, result } = decision.success
      if (changedTask !== undefined) yield* upsertTask(sql, changedTask, now)
      if (changedTask !== undefined && createsConversation === true) {
        yield* insertConversation(sql, changedTask, changedTask.conversation, now)
      }
      if (remove !== undefined) yield* sql.unsafe(deleteTask, [String(account), String(remove)])
      const notified = changedTask === undefined || notification === undefined
        ? null
        : yield* addNotification(sql, changedTask, notification, now)
      yield* sql.unsafe(storeWrite, [String(account), callId, writtenJson.write(result)])
      return { result: Result.succeed(result), notified }
    })
  )
