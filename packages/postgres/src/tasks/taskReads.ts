import type { PgClient } from "@effect/sql-pg"
import type { ScheduleTask, Task, TaskStore, WatchTask } from "@tapeline/core/personal"
import { Effect } from "effect"
import { mapSqlErrors } from "../errors.ts"
import { nowMsOnceSql, nowMsSql } from "../rowLocks.ts"
import { firingColumns, type FiringRow, taskColumns, type TaskRow, toFiring, toTask } from "./rows.ts"

type Store = typeof TaskStore["Service"]

const selectTasks = `select ${
  taskColumns("t", "w")
} from tasks t left join task_watches w on w.account = t.account and w.task = t.id`

const listTasks =
  `${selectTasks} where t.account = $1::bigint and ($2::text is null or t.status = $2) order by t.id desc`

const findTask = `${selectTasks} where t.account = $1::bigint and t.id = $2::bigint`

const isActiveSql = `t.status = 'active' and (t.not_before is null or t.not_before <= ${nowMsSql})`

const watchingTasks =
  `${selectTasks} where t.kind = 'watch' and ${isActiveSql} and t.id > $1::bigint order by t.id limit $2::bigint`

export const dueTasks = `${selectTasks} where t.kind = 'schedule' and ${isActiveSql} and t.next_at <= ${nowMsOnceSql}
  order by t.next_at, t.id limit $1::bigint`

const unfinishedFirings = `select ${firingColumns("f")} from task_firings f
  where f.state <> 'ended' and f.renewed_at <= ${nowMsSql} - $1::bigint order by f.renewed_at, f.id limit $2::bigint`

const isWatch = (task: Task): task is WatchTask => task.kind === "watch"
const isSchedule = (task: Task): task is ScheduleTask => task.kind === "schedule"

export const makeReadMethods = (
  sql: PgClient.PgClient
): Pick<Store, "list" | "find" | "listActiveWatches" | "listDueSchedules" | "listUnfinished" | "currentTime"> => {
  const mapErrors = mapSqlErrors("TaskStore")
  const queryTasks = (text: string, parameters: ReadonlyArray<string | null>) =>
    Effect.map(mapErrors(sql.unsafe<TaskRow>(text, parameters)), (rows) => rows.map(toTask))
  return {
    list: (account, status) => queryTasks(listTasks, [String(account), status]),
    find: (account, task) =>
      Effect.map(queryTasks(findTask, [String(account), String(task)]), ([found]) => found ?? null),
    listActiveWatches: (after, limit) =>
      Effect.map(queryTasks(watchingTasks, [String(after), String(limit)]), (found) => found.filter(isWatch)),
    listDueSchedules: (limit) => Effect.map(queryTasks(dueTasks, [String(limit)]), (found) => found.filter(isSchedule)),
    listUnfinished: (staleMs, limit) =>
      Effect.map(
        mapErrors(sql.unsafe<FiringRow>(unfinishedFirings, [String(Math.floor(staleMs)), String(limit)])),
        (rows) => rows.map(toFiring)
      ),
    currentTime: Effect.map(
      mapErrors(sql.unsafe<{ now: number }>(`select ${nowMsSql}::float8 as now`)),
      ([row]) => row!.now
    )
  }
}
