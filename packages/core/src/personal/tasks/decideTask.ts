import { Result, Schema } from "effect"
import { ActorEnded } from "../../engine/access/ActorEnded.ts"
import type { Awaited, TaskChange, TaskWritten } from "./change.ts"
import { NoSuchTask, OtherTaskKind, TaskIsDone, type TaskRefusal, TasksFull } from "./errors.ts"
import { beginWatch } from "./judgeMinutes.ts"
import { nextDue } from "./nextDue.ts"
import { ScheduleSpec, WatchSpec } from "./spec.ts"
import { type Task, taskBounds } from "./task.ts"

/** The part of an account's tasks that a decision depends on. */
export interface TaskState {
  /** The task that the change names, if the account has it. */
  readonly task: Task | null
  /** The number of active and paused tasks. */
  readonly open: number
  /** Whether the account has the conversation that the change names. */
  readonly hasConversation: boolean
  /** Whether the session or key that makes the change has ended, or the key lacks `write:personal`. */
  readonly hasEnded: boolean
  /** Whether a firing of the task is running. */
  readonly isFiring: boolean
}

/** New ids, and the store's time. */
export interface TaskStamp {
  readonly id: number
  readonly conversation: number
  readonly now: number
}

/** The records that a change writes. Absent fields stay as they were. */
export interface TaskEffects {
  /** A new task, or the replacement of the task with the same id. */
  readonly put?: Task
  /** Whether the task's conversation is created with it, named after the task. */
  readonly opens?: boolean
  /** The id of a deleted task. */
  readonly remove?: number
}

export interface TaskDecision {
  readonly written: TaskWritten
  readonly effects: TaskEffects
}

type Judged = Result.Result<TaskDecision, TaskRefusal>

/** The initial state of a task that starts or starts again. */
const waiting = (awaited: Awaited, now: number, arming: number) =>
  awaited.kind === "watch"
    ? { kind: "watch" as const, spec: awaited.spec, watch: beginWatch(now, arming) }
    : { kind: "schedule" as const, spec: awaited.spec, nextAt: nextDue(awaited.spec, now) }

const create = (
  { awaited, conversation, key, lang, maxRuns, prompt, title }: TaskChange & { readonly _tag: "Create" },
  { hasConversation, open }: TaskState,
  { conversation: fresh, id, now }: TaskStamp,
  account: number
): Judged => {
  if (open >= taskBounds.open) return Result.fail(new TasksFull())
  // A deleted conversation, or one of another account, is replaced by a new one.
  const opens = conversation === null || !hasConversation
  const task: Task = {
    id,
    account,
    title,
    prompt,
    lang,
    maxRuns,
    status: "active",
    runs: 0,
    conversation: opens ? fresh : conversation,
    key,
    version: 1,
    createdAt: now,
    updatedAt: now,
    notBefore: null,
    last: null,
    ...waiting(awaited, now, 1)
  }
  return Result.succeed({ written: { _tag: "Task", task }, effects: { put: task, opens } })
}

const [sameWatch, sameSchedule] = [Schema.toEquivalence(WatchSpec), Schema.toEquivalence(ScheduleSpec)]

const isNew = (task: Task, awaited: Awaited | undefined): boolean =>
  awaited !== undefined && !(
    task.kind === "watch"
      ? awaited.kind === "watch" && sameWatch(task.spec, awaited.spec)
      : awaited.kind === "schedule" && sameSchedule(task.spec, awaited.spec)
  )

const awaitedOf = (task: Task): Awaited =>
  task.kind === "watch" ? { kind: "watch", spec: task.spec } : { kind: "schedule", spec: task.spec }

const update = (
  change: TaskChange & { readonly _tag: "Update" },
  task: Task,
  { isFiring, open }: TaskState,
  now: number
): Judged => {
  const { awaited, key, maxRuns = task.maxRuns, prompt = task.prompt, title = task.title } = change
  const { id, runs } = task
  if (awaited !== undefined && awaited.kind !== task.kind) {
    return Result.fail(new OtherTaskKind({ id, kind: task.kind }))
  }
  const isDone = maxRuns !== null && runs >= maxRuns
  // A pause stops the last firing of a done task. A change of other fields keeps that pause.
  const isPaused = task.status === "paused"
  const stops = change.status === "paused"
    ? isFiring || isPaused
    : change.status === undefined && isPaused && isFiring
  if (isDone && change.status !== undefined && !stops) return Result.fail(new TaskIsDone({ id, runs }))
  const status = isDone && !stops ? "done" : change.status ?? (task.status === "done" ? "active" : task.status)
  const opens = task.status === "done" && status !== "done" && !stops
  // A paused task is one of the open tasks.
  const resumes = isPaused && status === "active"
  if ((opens && open >= taskBounds.open) || (resumes && open > taskBounds.open)) return Result.fail(new TasksFull())
  const beginsAnew = isNew(task, awaited) || (task.status !== "active" && status === "active")
  const anew = beginsAnew
    ? {
      notBefore: null,
      ...waiting(awaited ?? awaitedOf(task), now, task.kind === "watch" ? task.watch.arming + 1 : 1)
    }
    : {}
  const said = { title, prompt, maxRuns, status, key } as const
  const put: Task = {
    ...task,
    ...said,
    version: task.version + 1,
    updatedAt: Math.max(task.updatedAt, now),
    ...anew
  }
  return Result.succeed({ written: { _tag: "Task", task: put }, effects: { put } })
}

/** Decides the effect of a change on an account's tasks. All stores use this function. */
export const decideTask = (account: number, change: TaskChange, state: TaskState, stamp: TaskStamp): Judged => {
  if (state.hasEnded) return Result.fail(new ActorEnded())
  if (change._tag === "Create") return create(change, state, stamp, account)
  const { task } = state
  if (task === null) return Result.fail(new NoSuchTask({ id: change.id }))
  return change._tag === "Update"
    ? update(change, task, state, stamp.now)
    : Result.succeed({ written: { _tag: "Deleted", id: task.id }, effects: { remove: task.id } })
}
