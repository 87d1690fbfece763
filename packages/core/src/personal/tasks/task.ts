import { Schema } from "effect"
import { Language } from "../../engine/messages/languageCode.ts"
import { ScheduleSpec, WatchSpec } from "./spec.ts"

/* What accounts have run in the background. Times are epoch ms, by the store's clock. */

/** `active` waits, `paused` does not, `done` has fired as often as it was to. */
export const TaskStatus = Schema.Literals(["active", "paused", "done"])
export type TaskStatus = typeof TaskStatus.Type

/** How far a watch has looked. */
export const WatchState = Schema.Struct({
  /** Which arming it is in, 1 for the first: one more each time that it arms again. */
  arming: Schema.Int,
  /** Whether it fires when its condition is true; else it waits for the condition to be false once. */
  armed: Schema.Boolean,
  /** The end of the last minute that it was judged by: no minute is judged twice. */
  checkedTo: Schema.Int,
  /** The value of the last minute that had one, which a crossing is told by; null before there was any. */
  last: Schema.NullOr(Schema.Finite)
})
export type WatchState = typeof WatchState.Type

/** What became of a firing. */
export const FiringOutcome = Schema.Literals([
  /** What was observed stands in the conversation. */
  "reported",
  /** The analyst has answered. */
  "answered",
  /** The analyst could not answer and nothing was charged, or the task was paused or deleted during the firing. */
  "failed",
  /** There were no credits, or no answer of the day left: it counts as no run. */
  "refused",
  /** The key that made the task speaks for nobody any more, or not for this: it is paused. It counts as no run. */
  "key_gone"
])
export type FiringOutcome = typeof FiringOutcome.Type

const taskFields = {
  id: Schema.Int,
  account: Schema.Int,
  title: Schema.String,
  /** What the analyst is asked when it fires. Null: a watch only reports, and a schedule asks its title. */
  prompt: Schema.NullOr(Schema.String),
  /** In which it reports. */
  lang: Language,
  /** How often it fires at most; null for ever. */
  maxRuns: Schema.NullOr(Schema.Int),
  status: TaskStatus,
  /** Firings that counted. One that is under way counts already. */
  runs: Schema.Int,
  /** In which it reports and asks. It may be gone: then a new one takes its place at the next firing. */
  conversation: Schema.Int,
  /** The key with whose scopes it runs; null if a signed-in user made or changed it: it runs with a user's scopes. */
  key: Schema.NullOr(Schema.Int),
  /**
   * One more with each change by its owner, and with each end of a firing that gives its run back or pauses it: what
   * was judged by an earlier one changes nothing.
   */
  version: Schema.Int,
  createdAt: Schema.Int,
  updatedAt: Schema.Int,
  /** It does not fire before: a watch that has just fired, and what was refused; null when nothing ever held it. */
  notBefore: Schema.NullOr(Schema.Int),
  /** The last firing that ended; null before the first. */
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

/** A task that runs at times. */
export const ScheduleTask = Schema.Struct({
  ...taskFields,
  kind: Schema.Literal("schedule"),
  spec: ScheduleSpec,
  /** When it is due next, whatever its status; it fires only while `active`. */
  nextAt: Schema.Int
})
export type ScheduleTask = typeof ScheduleTask.Type

export const Task = Schema.Union([WatchTask, ScheduleTask])
export type Task = typeof Task.Type

/**
 * How many tasks an account has at most that are active or paused (but for those that a firing which was given back has
 * made active again), and how many done ones are kept: those that were done last.
 */
export const taskBounds = { open: 100, done: 100, titleLength: 120, promptLength: 4_000, runs: 10_000 } as const
