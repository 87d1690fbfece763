import { Schema } from "effect"
import { Language } from "../../engine/messages/languageCode.ts"
import { ScheduleSpec, WatchSpec } from "./spec.ts"

/* Background tasks of accounts. Times are epoch ms, by the store's clock. */

/** `active`: the task can fire. `paused`: it cannot. `done`: it has fired `maxRuns` times. */
export const TaskStatus = Schema.Literals(["active", "paused", "done"])
export type TaskStatus = typeof TaskStatus.Type

/** The progress of a watch. */
export const WatchState = Schema.Struct({
  /** The number of the current arming, from 1. It grows by one each time the watch is armed again. */
  arming: Schema.Int,
  /** Whether the watch fires when its condition is true. Otherwise the condition must first be false once. */
  armed: Schema.Boolean,
  /** The end of the last minute that was judged. No minute is judged twice. */
  checkedTo: Schema.Int,
  /** The last known value, against which a crossing is detected. Null before the first value. */
  last: Schema.NullOr(Schema.Finite)
})
export type WatchState = typeof WatchState.Type

/** The outcome of a firing. */
export const FiringOutcome = Schema.Literals([
  /** The observed values were added to the conversation. */
  "reported",
  /** The analyst answered. */
  "answered",
  /** The analyst could not answer and nothing was charged, or the task was paused or deleted during the firing. */
  "failed",
  /** No credits, or no answer of the day, were left, or there is no analyst. It does not count as a run. */
  "refused",
  /** The task's key is revoked or expired, or lacks the scope. The task is paused. It does not count as a run. */
  "key_gone"
])
export type FiringOutcome = typeof FiringOutcome.Type

const taskFields = {
  id: Schema.Int,
  account: Schema.Int,
  title: Schema.String,
  /** The question for the analyst. If null, a watch only reports, and a schedule asks its title. */
  prompt: Schema.NullOr(Schema.String),
  /** The language of reports and answers. */
  lang: Language,
  /** The maximum number of runs. Null for no limit. */
  maxRuns: Schema.NullOr(Schema.Int),
  status: TaskStatus,
  /** The number of firings that count as runs, including one that is running. */
  runs: Schema.Int,
  /** The conversation for reports and questions. If it is deleted, the next firing creates a new one. */
  conversation: Schema.Int,
  /** The key whose scopes the task has. Null, for a user's scopes, if a signed-in user created or last changed it. */
  key: Schema.NullOr(Schema.Int),
  /**
   * Grows by one with each change by the owner, and with each end of a firing that gives its run back or pauses the
   * task. Results that were computed from an earlier version change nothing.
   */
  version: Schema.Int,
  createdAt: Schema.Int,
  updatedAt: Schema.Int,
  /**
   * The task does not fire before this time. Set after a watch fired or a firing was refused. Null if nothing holds it.
   */
  notBefore: Schema.NullOr(Schema.Int),
  /** The last firing that ended. Null before the first. */
  last: Schema.NullOr(Schema.Struct({ dueAt: Schema.Int, lateByMs: Schema.Int, outcome: FiringOutcome }))
} as const

/** A task that waits for a condition. */
export const WatchTask = Schema.Struct({
  ...taskFields,
  kind: Schema.Literal("watch"),
  spec: WatchSpec,
  watch: WatchState
})
export type WatchTask = typeof WatchTask.Type

/** A task that runs at set times. */
export const ScheduleTask = Schema.Struct({
  ...taskFields,
  kind: Schema.Literal("schedule"),
  spec: ScheduleSpec,
  /** The next due time, whatever the status. The schedule fires only while it is `active`. */
  nextAt: Schema.Int
})
export type ScheduleTask = typeof ScheduleTask.Type

export const Task = Schema.Union([WatchTask, ScheduleTask])
export type Task = typeof Task.Type

/**
 * Limits of an account's tasks. `open` limits active and paused tasks. A firing that gives its run back can make a task
 * active beyond `open`. `done` is how many done tasks are kept, the most recent ones.
 */
export const taskBounds = { open: 100, done: 100, titleLength: 120, promptLength: 4_000, runs: 10_000 } as const
