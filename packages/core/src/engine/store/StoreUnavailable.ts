import { Schema } from "effect"

/** The store could not be reached or did not respond in time. A later retry may succeed. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  store: Schema.String,
  /** A known cause that an operator can fix, as the predicate of a sentence about the store. */
  trouble: Schema.optionalKey(Schema.String),
  cause: Schema.Defect()
}) {
  readonly retryable = true

  override get message(): string {
    return `the store \`${this.store}\` ${this.trouble ?? "cannot be reached, or does not answer in time"}`
  }
}
