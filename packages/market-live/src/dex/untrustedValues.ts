/**
 * Decodes values that anybody can write on a blockchain. An invalid name or an implausible amount becomes null, so that
 * one invalid token does not hide all others.
 */
import { Schema, SchemaTransformation } from "effect"

/** The maximum plausible amount, which no market exceeds. */
const maxAmount = 1e24

const boundedOrNull = (n: number): number | null => n <= maxAmount ? n : null

const Amount = Schema.NullOr(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)))

/** Decodes an amount in plain digits, sent as text, to null if implausibly large. */
export const UntrustedDecimal = Schema.String.check(
  Schema.isPattern(/^\d{1,120}(\.\d{1,120})?$/u, { expected: "an amount in plain digits" })
).pipe(Schema.decodeTo(
  Amount,
  SchemaTransformation.transform({ decode: (text) => boundedOrNull(Number(text)), encode: (n) => String(n) })
))

/** Decodes an amount that is sent as a number, to null if implausibly large. */
export const UntrustedNumeric = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e36 })).pipe(
  Schema.decodeTo(
    Amount,
    SchemaTransformation.transform({ decode: boundedOrNull, encode: (n) => n ?? 0 })
  )
)

export const UntrustedName = Schema.NullOr(Schema.String)

/** Returns a token's name if the name can be displayed, or null for any other name. */
export const displayableName = (name: string | null): string | null =>
  name !== null && /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(name) && name.trim() !== "" ? name : null
