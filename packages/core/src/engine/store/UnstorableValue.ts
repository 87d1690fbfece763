import { Schema } from "effect"

/**
 * A value that the store cannot keep, such as a text with a NUL or a number beyond its column. Texts and numbers are
 * checked where they enter, so this is a defect, and never an outage: trying again does not help.
 */
export class UnstorableValue extends Schema.TaggedError<UnstorableValue>()("UnstorableValue", {
  store: Schema.String,
  /** The database's own code for it. */
  code: Schema.String
}) {
  override get message(): string {
    return `A value cannot be kept (${this.store}, ${this.code})`
  }
}
