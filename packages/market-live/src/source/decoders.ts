/**
 * Decoders of values in the responses of sources. Each decoder accepts only one format, because a changed format may
 * have another meaning.
 */
import { Schema, SchemaTransformation } from "effect"

/** The largest magnitude of a price or amount that counts as valid, in any unit. */
const maxMagnitude = 1e24

const Bounded = Schema.Finite.check(Schema.isBetween({ minimum: -maxMagnitude, maximum: maxMagnitude }))
const NonNegativeBounded = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: maxMagnitude }))
const PositiveBounded = Schema.Finite.check(
  Schema.isGreaterThan(0),
  Schema.isLessThanOrEqualTo(maxMagnitude)
)

/**
 * A decimal number as text, without spaces, commas, `0x` or `NaN`, with at most 40 digits on either side of the point.
 */
const DecimalText = Schema.String.check(
  Schema.isPattern(/^-?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?$/u, { expected: "a decimal number as text" })
)

/** Decodes a number that is sent as text. */
export const Decimal = DecimalText.pipe(Schema.decodeTo(Bounded, SchemaTransformation.numberFromString))

/** Decodes an amount (0 or more) that is sent as text. */
export const NonNegativeDecimal = DecimalText.pipe(
  Schema.decodeTo(NonNegativeBounded, SchemaTransformation.numberFromString)
)

/** Decodes a price (more than 0) that is sent as text. */
export const PositiveDecimal = DecimalText.pipe(
  Schema.decodeTo(PositiveBounded, SchemaTransformation.numberFromString)
)

/** A number that is sent as a number. */
export const Numeric = Bounded

/** An amount (0 or more) that is sent as a number. */
export const NonNegativeNumeric = NonNegativeBounded

/** A price (more than 0) that is sent as a number. */
export const PositiveNumeric = PositiveBounded

/**
 * The range of valid times: from 2009, before the first coin, to the end of 2100. Some venues use the end of 2100 for
 * "never".
 */
const instantRange = { minimum: 1_230_768_000_000, maximum: 4_133_980_800_000 }

/** A time in milliseconds since 1970, sent as a number. */
export const InstantMs = Schema.Int.check(Schema.isBetween(instantRange))

/** Decodes a time in milliseconds since 1970, sent as text. */
export const InstantMsText = Schema.String.check(Schema.isPattern(/^\d{13}$/u, { expected: "epoch milliseconds" }))
  .pipe(
    Schema.decodeTo(InstantMs, SchemaTransformation.numberFromString)
  )

/** Decodes a time in seconds since 1970, sent as a number, to milliseconds. */
export const InstantSeconds = Schema.Int.check(
  Schema.isBetween({ minimum: instantRange.minimum / 1_000, maximum: instantRange.maximum / 1_000 })
).pipe(
  Schema.decodeTo(
    InstantMs,
    SchemaTransformation.transform({ decode: (seconds) => seconds * 1_000, encode: (ms) => Math.round(ms / 1_000) })
  )
)

/** Decodes a UTC date and time that is sent as text without a time zone: `2026-11-20T12:33:00`. */
export const UtcText = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/u, { expected: "a date and time in UTC" })
).pipe(
  Schema.decodeTo(
    InstantMs,
    SchemaTransformation.transform({
      decode: (text) => Date.parse(`${text}Z`),
      encode: (ms) => new Date(ms).toISOString().slice(0, 19)
    })
  )
)

/** Decodes a date of ten characters (`2026-11-20`) to its midnight in UTC. */
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

/** Decodes a date of eight digits (`20261120`) to its midnight in UTC. */
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

/** A name that a source uses, such as a symbol, with at most 200 characters and no control characters. */
export const Name = Schema.String.check(
  Schema.isPattern(/^[^\p{Cc}\p{Cs}]{1,200}$/u, { expected: "a name without control characters" })
)
