/**
 * What anybody can write on a chain: names, and amounts that a made-up price multiplies. One token with a name of
 * control characters or a trillion trillions of dollars must not hide all others, so such a value is null, and who
 * needs it does without the row. What is no text and no number at all is malformed like anything else.
 */
import { Schema, SchemaTransformation } from "effect"

/** Beyond it is nothing that a market has. */
const largest = 1e24

const boundedOrNull = (n: number): number | null => n <= largest ? n : null

const Amount = Schema.NullOr(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)))

/** An amount in plain digits, sent as text; null where it is nothing that can be. */
export const StrangersDecimal = Schema.String.check(
  Schema.isPattern(/^\d{1,120}(\.\d{1,120})?$/u, { expected: "an amount in plain digits" })
).pipe(Schema.decodeTo(
  Amount,
  SchemaTransformation.transform({ decode: (text) => boundedOrNull(Number(text)), encode: (n) => String(n) })
))

/** The same, sent as a number. */
export const StrangersNumeric = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e36 })).pipe(
  Schema.decodeTo(
    Amount,
    SchemaTransformation.transform({ decode: boundedOrNull, encode: (n) => n ?? 0 })
  )
)

/** What somebody calls a token, whatever it is. */
export const StrangersName = Schema.NullOr(Schema.String)

/** A name that can be told; null of any other. */
export const tellable = (name: string | null): string | null =>
  name !== null && /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(name) && name.trim() !== "" ? name : null
