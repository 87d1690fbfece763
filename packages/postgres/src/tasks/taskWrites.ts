import type { PgClient } from "@effect/sql-pg"
import { makeTitle } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import { type Task, taskLimits } from "@tapeline/core/personal"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { encodeTask, ownerKey } from "./rows.ts"

const upsertTaskSql = `insert into tasks as t (account, id, kind, status, version, max_runs, runs, conversation, key,
    created_at, updated_at, done_at, not_before, next_at, said, last)
  values ($1::bigint, $2::bigint, $3, $4, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::bigint,
    $11::bigint, case when $4 = 'done' then $12::bigint end, $13::bigint, $14::bigint, $15, $16)
  on conflict (account, id) do update set status = excluded.status, version = excluded.version,
    max_runs = excluded.max_runs, runs = excluded.runs, conversation = excluded.conversation, key = excluded.key,
    updated_at = excluded.updated_at, not_before = excluded.not_before, next_at = excluded.next_at,
    done_at = case when excluded.status = 'done' then coalesce(t.done_at, excluded.done_at) end,
    said = excluded.said, last = excluded.last`

const upsertWatchSql = `insert into task_watches (account, task, version, arming, armed, checked_to, last)
  values ($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::boolean, $6::bigint, $7::float8)
  on conflict (account, task) do update set version = excluded.version, arming = excluded.arming,
    armed = excluded.armed, checked_to = excluded.checked_to, last = excluded.last`

/** Deletes the oldest done tasks of an account above the maximum, except locked tasks, which are deleted later. */
const deleteOldDoneTasks = `with d as (
    select account, id from tasks where account = $1::bigint and status = 'done' and id in (
      select id from tasks where account = $1::bigint and status = 'done'
      order by done_at desc, id desc offset ${taskLimits.done}
    ) for update skip locked
  ), w as (
    delete from task_watches w using d where w.account = d.account and w.task = d.id
  )
  delete from tasks t using d where t.account = d.account and t.id = d.id`

const toTextOrNull = (value: number | null): string | null => value === null ? null : String(value)

/** Inserts or replaces a task, and deletes the oldest done tasks above the maximum. */
export const upsertTask = (sql: PgClient.PgClient, task: Task, now: number): Effect.Effect<void, SqlError> =>
  Effect.gen(function*() {
    yield* sql.unsafe(upsertTaskSql, [
      String(task.account),
      String(task.id),
      task.kind,
      task.status,
      String(task.version),
      toTextOrNull(task.maxRuns),
      String(task.runs),
      String(task.conversation),
      String(task.key ?? ownerKey),
      String(task.createdAt),
      String(task.updatedAt),
      String(now),
      toTextOrNull(task.notBefore),
      task.kind === "schedule" ? String(task.nextAt) : null,
      encodeTask(task),
      task.last === null ? null : JSON.stringify(task.last)
    ])
    if (task.kind === "watch") {
      const { armed, arming, checkedTo, last } = task.watch
      const numbers = [task.account, task.id, task.version, arming].map(String)
      yield* sql.unsafe(upsertWatchSql, [...numbers, String(armed), String(checkedTo), toTextOrNull(last)])
    }
    if (task.status === "done") yield* sql.unsafe(deleteOldDoneTasks, [String(task.account)])
  })

const insertConversationSql = `insert into conversations
    (account, id, title, mode, lang, created_at, updated_at, messages, scopes)
  values ($1::bigint, $2::bigint, $3, 'analyst', $4, $5::bigint, $5::bigint, 0, '{read:personal}')`

/** Creates a conversation with the title of a task, and with the scope `read:personal`. */
export const insertConversation = (
  sql: PgClient.PgClient,
  task: { readonly account: number; readonly title: string; readonly lang: Language },
  conversation: number,
  now: number
): Effect.Effect<unknown, SqlError> =>
  sql.unsafe(insertConversationSql, [
    String(task.account),
    String(conversation),
    JSON.stringify(makeTitle(task.title)),
    task.lang,
    String(now)
  ])
