import { Schema } from "effect"

/** The event that a notification reports. */
export const NotificationKind = Schema.Literals(["task_fired", "task_failed", "task_refused", "task_paused"])
export type NotificationKind = typeof NotificationKind.Type

/** The facts of a notification, from which its text is written in any language. */
export const NotificationFacts = Schema.Struct({
  /** The value that made a watch fire, or null for a schedule. */
  observed: Schema.NullOr(Schema.Json),
  lateByMs: Schema.Int,
  /** The number of missed due times (schedule) or armings (watch) that this firing also covers. */
  missed: Schema.Int,
  /**
   * The beginning of the analyst's answer, null if the answer is no longer stored, or absent if there was no answer.
   */
  answer: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The reason why the firing was refused, and the time of the next attempt in epoch ms. */
  refused: Schema.optionalKey(
    Schema.Struct({ reason: Schema.Literals(["credits", "answers", "no_analyst"]), until: Schema.Int })
  ),
  /** The reason why the task was paused; absent in notifications of older versions, which mean `key_gone`. */
  paused: Schema.optionalKey(Schema.Literals(["account_suspended", "key_gone", "operator"])),
  /** The operator's reason for the pause; null if the operator gave none. */
  reason: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type NotificationFacts = typeof NotificationFacts.Type

/** A notification of an account, with times in epoch ms by the store's clock. */
export const Notification = Schema.Struct({
  /** The number of the notification within the account: from 1, without gaps, in order of creation. */
  n: Schema.Int,
  time: Schema.Int,
  kind: NotificationKind,
  title: Schema.String,
  /** The text of the notification in the task's language. */
  body: Schema.String,
  /** The facts from which the text can be written in another language; absent in notifications of older versions. */
  facts: Schema.optionalKey(NotificationFacts),
  /** The id of the task that caused the notification. The task of a notification may have been deleted. */
  task: Schema.Int,
  conversation: Schema.NullOr(Schema.Int),
  read: Schema.Boolean
})
export type Notification = typeof Notification.Type

/** The number of notifications that are kept per account. */
export const maxNotifications = 1_000
