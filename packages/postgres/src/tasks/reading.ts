import type { PgClient } from "@effect/sql-pg"
import type { ScheduleTask, Task, TaskStore, WatchTask } from "@tapeline/core/personal"
import { Effect } from "effect"
import { unavailable } from "../errors.ts"
import { nowMs, nowMsOnce } from "../patiently.ts"
import { firingColumns, type FiringRow, taskColumns, type TaskRow, toFiring, toTask } from "./rows.ts"

type Store = typeof TaskStore["Service"]

const select = `select ${
  taskColumns("t", "w")
} from tasks t left join task_watches w on w.account = t.account and w.task = t.id`

const listTasks = `${select} where t.account = $1::bigint and ($2::text is null or t.status = $2) order by t.id desc`

const findTask = `${select} where t.account = $1::bigint and t.id = $2::bigint`

const free = `t.status = 'active' and (t.not_before is null or t.not_before <= ${nowMs})`

const watchingTasks =
  `${select} where t.kind = 'watch' and ${free} and t.id > $1::bigint order by t.id limit $2::bigint`

export const dueTasks = `${select} where t.kind = 'schedule' and ${free} and t.next_at <= ${nowMsOnce}
  order by t.next_at, t.id limit $1::bigint`

const unfinishedFirings = `select ${firingColumns("f")} from task_firings f
  where f.state <> 'ended' and f.renewed_at <= ${nowMs} - $1::bigint order by f.renewed_at, f.id limit $2::bigint`

const isWatch = (task: Task): task is WatchTask => task.kind === "watch"
const isSchedule = (task: Task): task is ScheduleTask => task.kind === "schedule"

/** The read-only operations on tasks and firings. */
export const reading = (
  sql: PgClient.PgClient
): Pick<Store, "list" | "find" | "watches" | "due" | "unfinished" | "time"> => {
  const guard = unavailable("TaskStore")
  const tasks = (text: string, parameters: ReadonlyArray<string | null>) =>
    Effect.map(guard(sql.unsafe<TaskRow>(text, parameters)), (rows) => rows.map(toTask))
  return {
    list: (account, status) => tasks(listTasks, [String(account), status]),
    find: (account, task) => Effect.map(tasks(findTask, [String(account), String(task)]), ([found]) => found ?? null),
    watches: (after, limit) =>
      Effect.map(tasks(watchingTasks, [String(after), String(limit)]), (found) => found.filter(isWatch)),
    due: (limit) => Effect.map(tasks(dueTasks, [String(limit)]), (found) => found.filter(isSchedule)),
    unfinished: (staleMs, limit) =>
      Effect.map(
        guard(sql.unsafe<FiringRow>(unfinishedFirings, [String(Math.floor(staleMs)), String(limit)])),
        (rows) => rows.map(toFiring)
      ),
    time: Effect.map(guard(sql.unsafe<{ now: number }>(`select ${nowMs}::float8 as now`)), ([row]) => row!.now)
  }
}
