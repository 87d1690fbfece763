import { Schema } from "effect"

/**
 * A value that the store cannot keep, such as a text with a NUL or a number too large for its column. Texts and numbers
 * are checked on input, so this error is a defect and not an outage. A retry does not help.
 */
export class UnstorableValue extends Schema.TaggedError<UnstorableValue>()("UnstorableValue", {
  store: Schema.String,
  /** The database's own error code. */
  code: Schema.String
}) {
  override get message(): string {
    return `A value cannot be kept (${this.store}, ${this.code})`
  }
}
