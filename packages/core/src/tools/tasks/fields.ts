import { Schema } from "effect"
import { Instant, nullableQuantity } from "../../engine/tool/result.ts"
import { NotificationKind } from "../../personal/tasks/notification.ts"
import { FiringOutcome, ScheduleSpec, TaskStatus, WatchSpec } from "../../personal/tasks/task.ts"

export const TaskRow = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  kind: Schema.Literals(["watch", "schedule"]),
  spec: Schema.Union([WatchSpec, ScheduleSpec]).annotate({
    description: "The condition or schedule; `symbol` is the ticker of its market"
  }),
  prompt: Schema.NullOr(Schema.String).annotate({
    description:
      "The question for the analyst when the task fires. Null: a watch only reports, a schedule uses its title"
  }),
  status: TaskStatus.annotate({
    description: "active: waits for its trigger; paused: does not; done: has fired max_runs times"
  }),
  runs: Schema.Int.annotate({
    description: "Number of firings; a firing that was rejected for lack of credits or answers does not count"
  }),
  max_runs: Schema.NullOr(Schema.Int).annotate({ description: "null: unlimited" }),
  conversation_id: Schema.Int.annotate({ description: "The conversation in which the task reports" }),
  key_id: Schema.NullOr(Schema.Int).annotate({
    description: "The key that created or last changed the task. The task runs with the scopes of this key. " +
      "Null if a signed-in user did; the task then runs with the account's read scopes"
  }),
  next_at: Schema.NullOr(Instant).annotate({
    description: "The next due time of an active schedule; null for watches and inactive schedules"
  }),
  held_until: Schema.NullOr(Instant).annotate({
    description:
      "An active task does not fire before this time: a watch is on hold after it fires, and any task after a rejected firing. Null if the task is not on hold"
  }),
  watch: Schema.NullOr(Schema.Struct({
    armed: Schema.Boolean.annotate({ description: "False after a firing, until the condition has been false once" }),
    checked_to: Instant.annotate({ description: "End of the last evaluated minute" }),
    last_value: nullableQuantity(
      "Value of the last minute with a value: the price, the score, price minus VWAP, or the largest move in percent; null without one"
    )
  })).annotate({ description: "Progress of a watch; null for a schedule" }),
  last: Schema.NullOr(Schema.Struct({
    due_at: Instant,
    late_by_seconds: Schema.Finite.annotate({ description: "Delay from the due time to the start of the firing" }),
    outcome: FiringOutcome
  })).annotate({ description: "The last firing that ended; null before the first firing" }),
  created_at: Instant,
  updated_at: Instant
})

export const NotificationRow = Schema.Struct({
  id: Schema.Int.annotate({ description: "Number of the notification within the account, from 1 without gaps" }),
  time: Instant,
  kind: NotificationKind,
  title: Schema.String,
  body: Schema.String,
  task_id: Schema.Int,
  conversation_id: Schema.NullOr(Schema.Int).annotate({
    description: "The conversation with the details; it may have been deleted"
  }),
  read: Schema.Boolean
})
