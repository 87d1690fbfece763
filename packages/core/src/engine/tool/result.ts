import { Schema, SchemaGetter } from "effect"
import { amount, type Rounding } from "./rounding.ts"

const isInstant = Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/u)

/** A time in results, in the ISO 8601 format in UTC with `Z`. */
export const Instant = Schema.String.annotate({ format: "date-time" }).check(isInstant)

/** Caches the text of the last formatted second. Most times in results are near the present. */
let cachedSecond = { second: NaN, text: "" }

/** Formats a time (epoch ms) for results. */
export const formatInstant = (time: number): string => {
  const second = Math.floor(time / 1000)
  if (second !== cachedSecond.second) {
    cachedSecond = { second, text: new Date(second * 1000).toISOString().slice(0, -4) }
  }
  return `${cachedSecond.text}${String(Math.trunc(time - second * 1000)).padStart(3, "0")}Z`
}

const roundWhenEncoded = (schema: typeof Schema.Finite, rounding: Rounding) =>
  schema.pipe(
    Schema.decodeTo(Schema.Finite, { decode: SchemaGetter.passthrough(), encode: SchemaGetter.transform(rounding) })
  )

/**
 * Creates the schema of a finite number with a description. Encoding rounds the number, by default to the precision of
 * amounts.
 */
export const quantity = (description: string, rounding: Rounding = amount) =>
  roundWhenEncoded(Schema.Finite.annotate({ description }), rounding)

/** Creates the schema of a number that may be null. The `notes` of the result state why the number is null. */
export const nullableQuantity = (description: string, rounding: Rounding = amount) =>
  Schema.NullOr(roundWhenEncoded(Schema.Finite, rounding)).annotate({ description })

/**
 * Creates the schema for a time that applies to only a part of a result. A part of a result has its own time only if
 * this time differs from `as_of`.
 */
export const asOf = (description: string) =>
  Schema.String.annotate({ format: "date-time", description }).check(isInstant)

/** The rules that computed a result's derived values, each with its version. */
export const ruleVersions = Schema.Array(Schema.String).annotate({
  description:
    "The rules that computed the values, with their versions. Values of different versions are not comparable"
})

/** The reasons for null values and omitted data, and the assumptions behind numbers. */
export const notes = Schema.Array(Schema.String)

/** Returns the number, or null if the number is not finite. */
export const finiteOrNull = (value: number | null | undefined): number | null =>
  value !== null && value !== undefined && Number.isFinite(value) ? value : null
