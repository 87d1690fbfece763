import { Schema } from "effect"

/** The store could not be reached or did not answer in time. Trying again later may work. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  store: Schema.String,
  /** What is known of it that an operator can mend, as a predicate of the store. */
  trouble: Schema.optionalKey(Schema.String),
  cause: Schema.Defect()
}) {
  readonly retryable = true

  override get message(): string {
    return `the store \`${this.store}\` ${this.trouble ?? "cannot be reached, or does not answer in time"}`
  }
}
