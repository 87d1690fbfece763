import { Schema } from "effect"

/** Somebody else leads the source by now: nothing was written, and who was refused should stop collecting from it. */
export class Superseded extends Schema.TaggedError<Superseded>()("Superseded", {
  source: Schema.String
}) {
  override get message(): string {
    return `another process collects from ${this.source} by now`
  }
}

/** What the store does not take, or is not asked for: a mistake of who asks. Nothing was written. */
export class MarketStoreRefusal extends Schema.TaggedError<MarketStoreRefusal>()("MarketStoreRefusal", {
  /** The kind, or what else it is about. */
  subject: Schema.String,
  /** One sentence that says what to change. */
  reason: Schema.String,
  /** A read that was right, of more than one read tells. */
  isTooMuch: Schema.optionalKey(Schema.Literal(true)),
  /** The store is full of something: it is no part of the write that is wrong. */
  isFull: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message(): string {
    return `${this.subject}: ${this.reason}`
  }
}
