import { Result, Schema } from "effect"
import { ActorEnded } from "../../engine/access/ActorEnded.ts"
import { RecordChanged } from "../../engine/access/RecordChanged.ts"
import { LimitedKey, NoSuchTask, OtherTaskKind, type TaskChangeError, TaskIsDone, TasksFull } from "./errors.ts"
import { makeWatchState } from "./evaluateMinutes.ts"
import type { Notification } from "./notification.ts"
import { formatNotification } from "./run/notificationText.ts"
import { computeNextDue } from "./scheduleTimes.ts"
import { ScheduleSpec, type Task, taskLimits, WatchSpec } from "./task.ts"
import type { TaskChange, TaskChangeResult, TaskTrigger } from "./taskChange.ts"

/** The data of an account's tasks that `decideTask` needs. */
export interface TaskState {
  /** The task that the change names, or null if the account has no such task. */
  readonly task: Task | null
  /** The number of the account's active and paused tasks. */
  readonly openTasks: number
  readonly hasConversation: boolean
  /** Whether the session or key that requests the change has ended, or the key lacks `write:personal`. */
  readonly hasEnded: boolean
  /** Whether the key that requests the change has monthly credits of its own. */
  readonly isKeyLimited: boolean
  readonly isFiring: boolean
}

/** The ids for a new task and a new conversation, and the current time of the store's clock. */
export interface TaskStamp {
  readonly id: number
  readonly conversation: number
  readonly now: number
}

/**
 * The records that the store must write after a change of a task. An absent field leaves the stored record unchanged.
 */
export interface TaskEffects {
  /** A new task, or the replacement of the task with an equal id. */
  readonly put?: Task
  /** The notification of the changed task. */
  readonly notification?: Pick<Notification, "kind" | "title" | "body" | "facts">
  /** Whether the change also creates the task's conversation, named after the task. */
  readonly createsConversation?: boolean
  readonly remove?: number
}

export interface TaskDecision {
  readonly result: TaskChangeResult
  readonly effects: TaskEffects
}

type TaskDecisionResult = Result.Result<TaskDecision, TaskChangeError>

const makeInitialState = (trigger: TaskTrigger, now: number, arming: number) =>
  trigger.kind === "watch"
    ? { kind: "watch" as const, spec: trigger.spec, watch: makeWatchState(now, arming) }
    : { kind: "schedule" as const, spec: trigger.spec, nextAt: computeNextDue(trigger.spec, now) }

/** Returns whether a firing asks the analyst, which uses credits of the account. */
const asksAnalyst = ({ kind, prompt }: { readonly kind: Task["kind"]; readonly prompt: string | null }): boolean =>
  kind === "schedule" || (prompt ?? "") !== ""

const createTask = (
  { trigger, conversation, key, lang, maxRuns, prompt, title }: TaskChange & { readonly _tag: "Create" },
  { hasConversation, isKeyLimited, openTasks }: TaskState,
  { conversation: newConversation, id, now }: TaskStamp,
  account: number
): TaskDecisionResult => {
  if (isKeyLimited && asksAnalyst({ kind: trigger.kind, prompt })) return Result.fail(new LimitedKey())
  if (openTasks >= taskLimits.open) return Result.fail(new TasksFull())
  // A deleted conversation, or a conversation of another account, is replaced by a new conversation.
  const createsConversation = conversation === null || !hasConversation
  const task: Task = {
    id,
    account,
    title,
    prompt,
    lang,
    maxRuns,
    status: "active",
    runs: 0,
    conversation: createsConversation ? newConversation : conversation,
    key,
    version: 1,
    createdAt: now,
    updatedAt: now,
    notBefore: null,
    last: null,
    ...makeInitialState(trigger, now, 1)
  }
  return Result.succeed({ result: { _tag: "Task", task }, effects: { put: task, createsConversation } })
}

const [isSameWatch, isSameSchedule] = [Schema.toEquivalence(WatchSpec), Schema.toEquivalence(ScheduleSpec)]

const hasNewTrigger = (task: Task, trigger: TaskTrigger | undefined): boolean =>
  trigger !== undefined && !(
    task.kind === "watch"
      ? trigger.kind === "watch" && isSameWatch(task.spec, trigger.spec)
      : trigger.kind === "schedule" && isSameSchedule(task.spec, trigger.spec)
  )

const readTrigger = (task: Task): TaskTrigger =>
  task.kind === "watch" ? { kind: "watch", spec: task.spec } : { kind: "schedule", spec: task.spec }

const updateTask = (
  change: TaskChange & { readonly _tag: "Update" },
  task: Task,
  { isFiring, isKeyLimited, openTasks }: TaskState,
  now: number
): TaskDecisionResult => {
  const { trigger, key, maxRuns = task.maxRuns, prompt = task.prompt, title = task.title } = change
  const { id, runs } = task
  if (trigger !== undefined && trigger.kind !== task.kind) {
    return Result.fail(new OtherTaskKind({ id, kind: task.kind }))
  }
  const isDone = maxRuns !== null && runs >= maxRuns
  // A pause of a done task stops its last firing, and later changes of other fields keep the pause.
  const isPaused = task.status === "paused"
  const isStopping = change.status === "paused"
    ? isFiring || isPaused
    : change.status === undefined && isPaused && isFiring
  if (isDone && change.status !== undefined && !isStopping) return Result.fail(new TaskIsDone({ id, runs }))
  const status = isDone && !isStopping ? "done" : change.status ?? (task.status === "done" ? "active" : task.status)
  if (isKeyLimited && status === "active" && asksAnalyst({ kind: task.kind, prompt })) {
    return Result.fail(new LimitedKey())
  }
  const isReopened = task.status === "done" && status !== "done" && !isStopping
  // A paused task counts as open, so `openTasks` already includes the resumed task.
  const isResumed = isPaused && status === "active"
  if ((isReopened && openTasks >= taskLimits.open) || (isResumed && openTasks > taskLimits.open)) {
    return Result.fail(new TasksFull())
  }
  const isRestarted = hasNewTrigger(task, trigger) || (task.status !== "active" && status === "active")
  const restartedFields = isRestarted
    ? {
      notBefore: null,
      ...makeInitialState(trigger ?? readTrigger(task), now, task.kind === "watch" ? task.watch.arming + 1 : 1)
    }
    : {}
  const changedFields = { title, prompt, maxRuns, status, key } as const
  const updatedTask: Task = {
    ...task,
    ...changedFields,
    version: task.version + 1,
    updatedAt: Math.max(task.updatedAt, now),
    ...restartedFields
  }
  return Result.succeed({ result: { _tag: "Task", task: updatedTask }, effects: { put: updatedTask } })
}

const pauseTask = (
  { reason }: TaskChange & { readonly _tag: "Pause" },
  task: Task,
  { isFiring }: TaskState,
  now: number
): TaskDecision => {
  if (task.status === "paused" || (task.status === "done" && !isFiring)) {
    return { result: { _tag: "Task", task }, effects: {} }
  }
  const pausedTask = {
    ...task,
    status: "paused" as const,
    version: task.version + 1,
    updatedAt: Math.max(task.updatedAt, now)
  }
  const facts = { observed: null, lateByMs: 0, missed: 0, paused: "operator" as const, reason }
  const body = formatNotification("task_paused", facts, task.lang)
  return {
    result: { _tag: "Task", task: pausedTask },
    effects: { put: pausedTask, notification: { kind: "task_paused", title: task.title, body, facts } }
  }
}

/** Returns the version of a task, which differs after each change by the owner. Firings do not change the version. */
export const taskVersion = ({ version }: Task): string => String(version)

/**
 * Decides how a change affects an account's tasks. Every task store uses this function, so that all stores decide
 * equally.
 */
export const decideTask = (
  account: number,
  change: TaskChange,
  state: TaskState,
  stamp: TaskStamp
): TaskDecisionResult => {
  if (state.hasEnded) return Result.fail(new ActorEnded())
  if (change._tag === "Create") return createTask(change, state, stamp, account)
  const { task } = state
  if (change.recordVersion !== undefined && change.recordVersion !== (task === null ? null : taskVersion(task))) {
    return Result.fail(new RecordChanged())
  }
  if (task === null) return Result.fail(new NoSuchTask({ id: change.id }))
  switch (change._tag) {
    case "Update":
      return updateTask(change, task, state, stamp.now)
    case "Pause":
      return Result.succeed(pauseTask(change, task, state, stamp.now))
    case "Delete":
      return Result.succeed({ result: { _tag: "Deleted", id: task.id }, effects: { remove: task.id } })
  }
}
