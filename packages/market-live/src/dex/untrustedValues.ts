/**
 * Values that anybody can write on a chain: names, and amounts that depend on an invented price. A token with control
 * characters in its name, or with an absurd amount, must not hide all other tokens. Such a value becomes null, and
 * callers that need it skip the row. A value that is not text or a number at all is malformed.
 */
import { Schema, SchemaTransformation } from "effect"

/** The largest amount that any market has. */
const maxAmount = 1e24

const boundedOrNull = (n: number): number | null => n <= maxAmount ? n : null

const Amount = Schema.NullOr(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)))

/** An amount in plain digits, sent as text; null if it is implausibly large. */
export const UntrustedDecimal = Schema.String.check(
  Schema.isPattern(/^\d{1,120}(\.\d{1,120})?$/u, { expected: "an amount in plain digits" })
).pipe(Schema.decodeTo(
  Amount,
  SchemaTransformation.transform({ decode: (text) => boundedOrNull(Number(text)), encode: (n) => String(n) })
))

/** An amount, sent as a number; null if it is implausibly large. */
export const UntrustedNumeric = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e36 })).pipe(
  Schema.decodeTo(
    Amount,
    SchemaTransformation.transform({ decode: boundedOrNull, encode: (n) => n ?? 0 })
  )
)

/** The name of a token, unchecked. */
export const UntrustedName = Schema.NullOr(Schema.String)

/** Returns a name that can be shown; null for any other. */
export const displayableName = (name: string | null): string | null =>
  name !== null && /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(name) && name.trim() !== "" ? name : null
