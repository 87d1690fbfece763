import { Schema } from "effect"

/** What a notification tells of. */
export const NotificationKind = Schema.Literals(["task_fired", "task_failed", "task_refused", "task_paused"])
export type NotificationKind = typeof NotificationKind.Type

/** The facts of a notification, from which its text is written in any language. */
export const NotificationFacts = Schema.Struct({
  /** The value that made a watch fire. Null for a schedule. */
  observed: Schema.NullOr(Schema.Json),
  lateByMs: Schema.Int,
  /** The number of earlier due times or armings that this firing replaces. */
  missed: Schema.Int,
  /** The beginning of the analyst's answer. Null if the answer is not kept; absent if nothing was answered. */
  answer: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The reason for a `task_refused`, and the time of the next attempt (epoch ms). */
  refused: Schema.optionalKey(
    Schema.Struct({ reason: Schema.Literals(["credits", "answers", "no_analyst"]), until: Schema.Int })
  )
})
export type NotificationFacts = typeof NotificationFacts.Type

/** What the bell of an account holds. Times are epoch ms, by the store's clock. */
export const Notification = Schema.Struct({
  /** Its number among those of the account: 1 for the first, gapless, in the order in which they came. */
  n: Schema.Int,
  time: Schema.Int,
  kind: NotificationKind,
  title: Schema.String,
  /** The text in the task's language. */
  body: Schema.String,
  /** The facts behind the text, for readers of other languages. Absent if an older version stored the notification. */
  facts: Schema.optionalKey(NotificationFacts),
  /** The task and the conversation that it is about; either may be gone by now. */
  task: Schema.Int,
  conversation: Schema.NullOr(Schema.Int),
  read: Schema.Boolean
})
export type Notification = typeof Notification.Type

/** How many notifications of an account are kept: when one more comes, the oldest go. */
export const notificationsKept = 1_000
