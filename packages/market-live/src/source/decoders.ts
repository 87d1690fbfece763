/**
 * What sources' payloads are made of. Each decoder takes one spelling and nothing else: a source that sends a price as
 * text today and as a number tomorrow has changed, and what it then means is for a person to find out.
 */
import { Schema, SchemaTransformation } from "effect"

/** Beyond it is nothing that a market has: a number of coins, of KRW, of anything. */
const largest = 1e24

const Bounded = Schema.Finite.check(Schema.isBetween({ minimum: -largest, maximum: largest }))
const NonNegativeBounded = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: largest }))
const PositiveBounded = Schema.Finite.check(
  Schema.isGreaterThan(0),
  Schema.isLessThanOrEqualTo(largest)
)

/** Digits as people write them: no spaces, no commas, no `0x`, no `NaN`, at most forty on either side of the point. */
const DecimalText = Schema.String.check(
  Schema.isPattern(/^-?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?$/u, { expected: "a decimal number as text" })
)

/** A number that is sent as text. */
export const Decimal = DecimalText.pipe(Schema.decodeTo(Bounded, SchemaTransformation.numberFromString))

/** An amount, sent as text. */
export const NonNegativeDecimal = DecimalText.pipe(
  Schema.decodeTo(NonNegativeBounded, SchemaTransformation.numberFromString)
)

/** A price, sent as text. */
export const PositiveDecimal = DecimalText.pipe(
  Schema.decodeTo(PositiveBounded, SchemaTransformation.numberFromString)
)

/** A number that is sent as one. */
export const Numeric = Bounded

/** An amount, sent as a number. */
export const NonNegativeNumeric = NonNegativeBounded

/** A price, sent as a number. */
export const PositiveNumeric = PositiveBounded

/**
 * 2009, when there was no coin yet, to the end of 2100, which some venues write for "never": anything else is another
 * unit, or nonsense.
 */
const span = { minimum: 1_230_768_000_000, maximum: 4_133_980_800_000 }

/** Epoch milliseconds, sent as a number. */
export const InstantMs = Schema.Int.check(Schema.isBetween(span))

/** Epoch milliseconds, sent as text. */
export const InstantMsText = Schema.String.check(Schema.isPattern(/^\d{13}$/u, { expected: "epoch milliseconds" }))
  .pipe(
    Schema.decodeTo(InstantMs, SchemaTransformation.numberFromString)
  )

/** Epoch seconds, sent as a number; decoded to milliseconds. */
export const InstantSeconds = Schema.Int.check(
  Schema.isBetween({ minimum: span.minimum / 1_000, maximum: span.maximum / 1_000 })
).pipe(
  Schema.decodeTo(
    InstantMs,
    SchemaTransformation.transform({ decode: (seconds) => seconds * 1_000, encode: (ms) => Math.round(ms / 1_000) })
  )
)

/** The instant of a wall clock in UTC, sent as text that names no zone: `2026-11-20T12:33:00`. */
export const UtcText = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/u, { expected: "a date and time of UTC" })
).pipe(
  Schema.decodeTo(
    InstantMs,
    SchemaTransformation.transform({
      decode: (text) => Date.parse(`${text}Z`),
      encode: (ms) => new Date(ms).toISOString().slice(0, 19)
    })
  )
)

/** A date as ten characters, `2026-11-20`; decoded to the instant of its midnight in UTC. */
export const DateText = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\d$/u, { expected: "a date" })
).pipe(
  Schema.decodeTo(
    InstantMs,
    SchemaTransformation.transform({
      decode: (text) => Date.parse(text),
      encode: (ms) => new Date(ms).toISOString().slice(0, 10)
    })
  )
)

/** The same as eight digits, `20261120`. */
export const DateDigits = Schema.String.check(
  Schema.isPattern(/^\d{8}$/u, { expected: "a date of eight digits" })
).pipe(
  Schema.decodeTo(
    InstantMs,
    SchemaTransformation.transform({
      decode: (text) => Date.parse(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`),
      encode: (ms) => new Date(ms).toISOString().slice(0, 10).replaceAll("-", "")
    })
  )
)

/** What a source calls something: a symbol, an identifier. Stores take no NUL, and nobody a megabyte of name. */
export const Name = Schema.String.check(
  Schema.isPattern(/^[^\p{Cc}\p{Cs}]{1,200}$/u, { expected: "a name without control characters" })
)
