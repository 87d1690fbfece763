import { Schema } from "effect"

/**
 * The error of a store that cannot be reached or does not respond in time. A later retry of the operation may succeed.
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  store: Schema.String,
  /** A known cause that the operator can fix. The text follows the store's name in the error message. */
  trouble: Schema.optionalKey(Schema.String),
  cause: Schema.Defect()
}) {
  readonly retryable = true

  override get message(): string {
    return `the store \`${this.store}\` ${this.trouble ?? "cannot be reached, or does not respond in time"}`
  }
}

/**
 * The error for a value that the store cannot store, such as a text with a NUL or a number too large for its column.
 * Texts and numbers are checked before they are stored, so this error is a defect and not an outage.
 */
export class UnstorableValue extends Schema.TaggedError<UnstorableValue>()("UnstorableValue", {
  store: Schema.String,
  /** The database's own error code. */
  code: Schema.String
}) {
  override get message(): string {
    return `A value cannot be stored (${this.store}, ${this.code})`
  }
}
