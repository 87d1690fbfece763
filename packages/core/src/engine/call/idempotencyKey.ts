import { Schema } from "effect"

/** A caller's key that identifies a repeated call: 1 to 128 printable ASCII characters. */
export const IdempotencyKey = Schema.String.check(
  Schema.isBetweenLength(1, 128),
  Schema.isPattern(/^[\x20-\x7e]+$/u)
)
