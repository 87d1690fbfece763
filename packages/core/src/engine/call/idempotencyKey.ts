import { Schema } from "effect"

/** What a caller chooses to name a call by, so that a repeat of it is known: 1 to 128 printable ASCII characters. */
export const IdempotencyKey = Schema.String.check(
  Schema.isBetweenLength(1, 128),
  Schema.isPattern(/^[\x20-\x7e]+$/u)
)
