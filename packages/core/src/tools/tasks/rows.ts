import type { Language } from "../../engine/messages/languageCode.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import type { Notification } from "../../personal/tasks/notification.ts"
import { formatNotification } from "../../personal/tasks/run/notificationText.ts"
import type { Task } from "../../personal/tasks/task.ts"

/* Conversions of tasks and notifications to rows of results. */

/**
 * Converts a task to a result row. `held_until` is the time until which an active task does not fire, or null. `now` is
 * in epoch ms.
 */
export const toTaskRow = (task: Task, now: number) => ({
  id: task.id,
  title: task.title,
  kind: task.kind,
  spec: task.spec,
  prompt: task.prompt,
  status: task.status,
  runs: task.runs,
  max_runs: task.maxRuns,
  conversation_id: task.conversation,
  key_id: task.key,
  next_at: task.kind === "schedule" && task.status === "active" ? formatInstant(task.nextAt) : null,
  held_until: task.status === "active" && task.notBefore !== null && task.notBefore > now
    ? formatInstant(task.notBefore)
    : null,
  watch: task.kind === "schedule" ? null : {
    armed: task.watch.armed,
    checked_to: formatInstant(task.watch.checkedTo),
    last_value: task.watch.last
  },
  last: task.last === null ? null : {
    due_at: formatInstant(task.last.dueAt),
    late_by_seconds: task.last.lateByMs / 1_000,
    outcome: task.last.outcome
  },
  created_at: formatInstant(task.createdAt),
  updated_at: formatInstant(task.updatedAt)
})

/**
 * Converts a notification to a result row with the body in `lang`. The title and the analyst's answer are not
 * translated.
 */
export const toNotificationRow = (
  { body, conversation, facts, kind, n, read, task, time, title }: Notification,
  lang: Language
) => ({
  id: n,
  time: formatInstant(time),
  kind,
  title,
  body: facts === undefined ? body : formatNotification(kind, facts, lang),
  task_id: task,
  conversation_id: conversation,
  read
})
