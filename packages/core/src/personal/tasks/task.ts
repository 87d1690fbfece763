import { Schema } from "effect"
import { Language } from "../../engine/messages/languageCode.ts"

/** The market on which a watched symbol is traded. A coin and a share can have the same ticker. */
export const WatchedMarket = Schema.Literals(["coin", "us", "kr"])
export type WatchedMarket = typeof WatchedMarket.Type

/**
 * The comparison of a value with a level. `cross_above` is true if a minute closed above the level, and the previous
 * known value was not above the level.
 */
export const WatchOp = Schema.Literals(["gt", "gte", "lt", "lte", "cross_above", "cross_below"])
export type WatchOp = typeof WatchOp.Type

/**
 * The stored condition of a watch. The symbol has the spelling of its market, and `*` means every coin that trades. The
 * level of `price` is in the instrument's currency. The level of `score` is a score as `get_score` returns it. The
 * level of `gap` is a percentage. `vwap_cross` compares the price with the VWAP of the UTC day, as get_vwap returns it.
 * `gap` measures the absolute move within 60 minutes.
 */
export const WatchSpec = Schema.Union([
  Schema.Struct({
    metric: Schema.Literal("price"),
    market: WatchedMarket,
    symbol: Schema.String,
    op: WatchOp,
    value: Schema.Finite.annotate({ description: "Price in the instrument's own currency" })
  }),
  Schema.Struct({
    metric: Schema.Literal("vwap_cross"),
    market: WatchedMarket,
    symbol: Schema.String,
    dir: Schema.Literals(["above", "below"])
  }),
  Schema.Struct({
    metric: Schema.Literal("gap"),
    market: WatchedMarket,
    symbol: Schema.String,
    value: Schema.Finite.annotate({ description: "Size of the move within 60 minutes, percent" })
  }),
  Schema.Struct({
    metric: Schema.Literal("score"),
    market: Schema.Literal("coin"),
    symbol: Schema.String,
    op: WatchOp,
    value: Schema.Finite.annotate({ description: "Score of get_score, -100 to 100" })
  })
])
export type WatchSpec = typeof WatchSpec.Type

/**
 * The due times of a schedule: each day at `HH:MM`, or at a fixed interval. A fixed interval starts when the task is
 * created or restarted.
 */
export const ScheduleSpec = Schema.Union([
  Schema.Struct({
    at: Schema.String.annotate({ description: "Time of day, HH:MM" }),
    tz_offset_hours: Schema.Finite.annotate({ description: "Offset of this time of day from UTC, hours" })
  }),
  Schema.Struct({ every_min: Schema.Int.annotate({ description: "Minutes" }) })
])
export type ScheduleSpec = typeof ScheduleSpec.Type

/* Background tasks of accounts, with times in epoch ms by the store's clock. */

/**
 * The status of a task: `active` tasks can fire, `paused` tasks cannot, and `done` tasks have fired `maxRuns` times.
 */
export const TaskStatus = Schema.Literals(["active", "paused", "done"])
export type TaskStatus = typeof TaskStatus.Type

/** The progress of a watch. */
export const WatchState = Schema.Struct({
  /** The number of times that the watch was armed, starting with 1 at its creation. */
  arming: Schema.Int,
  /** Whether the watch can fire. An unarmed watch is armed again after a minute in which its condition is false. */
  armed: Schema.Boolean,
  /** The end of the last minute for which the watch was evaluated. */
  checkedTo: Schema.Int,
  /** The last known value, against which a crossing is detected, or null before the first value. */
  last: Schema.NullOr(Schema.Finite)
})
export type WatchState = typeof WatchState.Type

/** The outcome of a firing. */
export const FiringOutcome = Schema.Literals([
  /** A watch fired, and the observed values were added to the conversation. */
  "reported",
  "answered",
  /** The analyst could not answer and charged nothing, or the task was paused or deleted during the firing. */
  "failed",
  /**
   * The account had no credits or daily answers left, or the service has no analyst. A refused firing does not count as
   * a run.
   */
  "refused",
  /**
   * The task's key is revoked or expired, or lacks the scope, so the task is paused. A firing without a valid key does
   * not count as a run.
   */
  "key_gone"
])
export type FiringOutcome = typeof FiringOutcome.Type

const taskFields = {
  id: Schema.Int,
  account: Schema.Int,
  title: Schema.String,
  /**
   * The question for the analyst. If the question is null, a watch only reports its values, and a schedule uses its
   * title as the question.
   */
  prompt: Schema.NullOr(Schema.String),
  lang: Language,
  /** The maximum number of runs of a task, or null for no limit. */
  maxRuns: Schema.NullOr(Schema.Int),
  status: TaskStatus,
  /** The number of firings that count as runs, including a running firing. */
  runs: Schema.Int,
  /**
   * The conversation for the task's reports and questions. If the conversation is deleted, the next firing creates a
   * new conversation.
   */
  conversation: Schema.Int,
  /** The key whose scopes the task has, or null for a task that a signed-in user created or last changed. */
  key: Schema.NullOr(Schema.Int),
  /**
   * The version of the task. The version increases with each change by the owner. The version also increases if the end
   * of a firing pauses the task or takes back a run. A claim or an update with an outdated version changes nothing.
   */
  version: Schema.Int,
  createdAt: Schema.Int,
  updatedAt: Schema.Int,
  /** The time before which the task does not fire, or null if the task can fire now. */
  notBefore: Schema.NullOr(Schema.Int),
  /** The last firing that ended, or null before the first firing has ended. */
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
  /** The next due time. The schedule fires only while the task is `active`. */
  nextAt: Schema.Int
})
export type ScheduleTask = typeof ScheduleTask.Type

export const Task = Schema.Union([WatchTask, ScheduleTask])
export type Task = typeof Task.Type

/**
 * The limits of an account's tasks: `open` is the maximum number of active and paused tasks, and `done` is the number
 * of done tasks that are kept. The number of open tasks can exceed `open` when a firing that does not count as a run
 * reactivates a done task.
 */
export const taskLimits = { open: 100, done: 100, titleLength: 120, promptLength: 4_000, runs: 10_000 } as const
