import { Schema } from "effect"

/**
 * The error of a caller that no longer leads a source. Nothing was written. The caller must stop collecting data of
 * this source.
 */
export class Superseded extends Schema.TaggedError<Superseded>()("Superseded", {
  source: Schema.String
}) {
  override get message(): string {
    return `another process now collects from ${this.source}`
  }
}

/** The error of an invalid read or write. An invalid write changes nothing in the store. */
export class MarketStoreRefusal extends Schema.TaggedError<MarketStoreRefusal>()("MarketStoreRefusal", {
  subject: Schema.String,
  /** One sentence that states how to correct the read or the write. */
  reason: Schema.String,
  /** True if a read was valid, but its result would be too large. */
  isTooMuch: Schema.optionalKey(Schema.Literal(true)),
  /** True if a valid write was rejected because the store has reached a limit. */
  isFull: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message(): string {
    return `${this.subject}: ${this.reason}`
  }
}
