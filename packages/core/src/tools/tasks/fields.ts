import { Schema } from "effect"
import { Instant, nullableQuantity } from "../../engine/tool/result.ts"
import { NotificationKind } from "../../personal/tasks/notification.ts"
import { FiringOutcome, ScheduleSpec, TaskStatus, WatchSpec } from "../../personal/tasks/task.ts"

/** The schema of a task as its owner sees the task. */
export const TaskRow = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  kind: Schema.Literals(["watch", "schedule"]),
  spec: Schema.Union([WatchSpec, ScheduleSpec]).annotate({ description: "The symbol as its market writes it" }),
  prompt: Schema.NullOr(Schema.String).annotate({
    description: "What the analyst is asked when it fires; null: a watch reports, a schedule asks its title"
  }),
  status: TaskStatus.annotate({ description: "active waits, paused does not, done has fired max_runs times" }),
  runs: Schema.Int.annotate({ description: "Firings that counted; one that was refused for credits does not" }),
  max_runs: Schema.NullOr(Schema.Int).annotate({ description: "null: without end" }),
  conversation_id: Schema.Int.annotate({ description: "In which it reports" }),
  key_id: Schema.NullOr(Schema.Int).annotate({
    description: "The key that created or last changed the task, which runs with this key's scopes; " +
      "null: a signed-in user did, and it runs with the account's read scopes"
  }),
  next_at: Schema.NullOr(Instant).annotate({
    description: "When an active schedule is due next; null of a watch, and of one that does not wait"
  }),
  held_until: Schema.NullOr(Instant).annotate({
    description:
      "An active task does not fire before: a watch rests after firing, and what was refused waits; null when nothing holds it"
  }),
  watch: Schema.NullOr(Schema.Struct({
    armed: Schema.Boolean.annotate({ description: "False after it fired, until its condition has been false once" }),
    checked_to: Instant.annotate({ description: "End of the last minute that it was judged by" }),
    last_value: nullableQuantity(
      "Of the last one that had any: the price, the score, price less VWAP, percent of the largest move; null: none"
    )
  })).annotate({ description: "How far a watch has looked; null of a schedule" }),
  last: Schema.NullOr(Schema.Struct({
    due_at: Instant,
    late_by_seconds: Schema.Finite.annotate({ description: "How much later than due it was taken up" }),
    outcome: FiringOutcome
  })).annotate({ description: "The last firing that ended; null before the first" }),
  created_at: Instant,
  updated_at: Instant
})

export const NotificationRow = Schema.Struct({
  id: Schema.Int.annotate({ description: "1 for the account's first, without gaps" }),
  time: Instant,
  kind: NotificationKind,
  title: Schema.String,
  body: Schema.String,
  task_id: Schema.Int,
  conversation_id: Schema.NullOr(Schema.Int).annotate({ description: "Where it says more; may be gone by now" }),
  read: Schema.Boolean
})
