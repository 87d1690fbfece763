/**
 * Decoders for the payloads of sources. Each decoder accepts only one spelling. If a source sends a price as a number
 * instead of text, its format has changed. A person must then find out what the value means.
 */
import { Schema, SchemaTransformation } from "effect"

/** The largest magnitude of any market value, in coins, KRW or other units. */
const maxMagnitude = 1e24

const Bounded = Schema.Finite.check(Schema.isBetween({ minimum: -maxMagnitude, maximum: maxMagnitude }))
const NonNegativeBounded = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: maxMagnitude }))
const PositiveBounded = Schema.Finite.check(
  Schema.isGreaterThan(0),
  Schema.isLessThanOrEqualTo(maxMagnitude)
)

/** A plain decimal number: no spaces, no commas, no `0x`, no `NaN`, at most 40 digits on either side of the point. */
const DecimalText = Schema.String.check(
  Schema.isPattern(/^-?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?$/u, { expected: "a decimal number as text" })
)

/** A number, sent as text. */
export const Decimal = DecimalText.pipe(Schema.decodeTo(Bounded, SchemaTransformation.numberFromString))

/** An amount (0 or more), sent as text. */
export const NonNegativeDecimal = DecimalText.pipe(
  Schema.decodeTo(NonNegativeBounded, SchemaTransformation.numberFromString)
)

/** A price (more than 0), sent as text. */
export const PositiveDecimal = DecimalText.pipe(
  Schema.decodeTo(PositiveBounded, SchemaTransformation.numberFromString)
)

/** A number, sent as a number. */
export const Numeric = Bounded

/** An amount (0 or more), sent as a number. */
export const NonNegativeNumeric = NonNegativeBounded

/** A price (more than 0), sent as a number. */
export const PositiveNumeric = PositiveBounded

/**
 * Valid times: from 2009, before the first coin, to the end of 2100, which some venues use for "never". Any other value
 * has another unit or is wrong.
 */
const instantRange = { minimum: 1_230_768_000_000, maximum: 4_133_980_800_000 }

/** Epoch milliseconds, sent as a number. */
export const InstantMs = Schema.Int.check(Schema.isBetween(instantRange))

/** Epoch milliseconds, sent as text. */
export const InstantMsText = Schema.String.check(Schema.isPattern(/^\d{13}$/u, { expected: "epoch milliseconds" }))
  .pipe(
    Schema.decodeTo(InstantMs, SchemaTransformation.numberFromString)
  )

/** Epoch seconds, sent as a number; decoded to milliseconds. */
export const InstantSeconds = Schema.Int.check(
  Schema.isBetween({ minimum: instantRange.minimum / 1_000, maximum: instantRange.maximum / 1_000 })
).pipe(
  Schema.decodeTo(
    InstantMs,
    SchemaTransformation.transform({ decode: (seconds) => seconds * 1_000, encode: (ms) => Math.round(ms / 1_000) })
  )
)

/** A date and time in UTC, sent as text without a zone: `2026-11-20T12:33:00`. */
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

/** A date of ten characters, `2026-11-20`; decoded to its midnight in UTC. */
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

/** A date of eight digits, `20261120`; decoded to its midnight in UTC. */
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

/** A name that a source uses, such as a symbol: at most 200 characters, none of them a control character. */
export const Name = Schema.String.check(
  Schema.isPattern(/^[^\p{Cc}\p{Cs}]{1,200}$/u, { expected: "a name without control characters" })
)
