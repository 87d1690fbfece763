import { Schema } from "effect"

/** What a notification tells of. */
export const NotificationKind = Schema.Literals(["task_fired", "task_failed", "task_refused", "task_paused"])
export type NotificationKind = typeof NotificationKind.Type

/** What the bell of an account holds. Times are epoch ms, by the store's clock. */
export const Notification = Schema.Struct({
  /** Its number among those of the account: 1 for the first, gapless, in the order in which they came. */
  n: Schema.Int,
  time: Schema.Int,
  kind: NotificationKind,
  title: Schema.String,
  body: Schema.String,
  /** The task and the conversation that it is about; either may be gone by now. */
  task: Schema.Int,
  conversation: Schema.NullOr(Schema.Int),
  read: Schema.Boolean
})
export type Notification = typeof Notification.Type

/** How many notifications of an account are kept: when one more comes, the oldest go. */
export const notificationsKept = 1_000
