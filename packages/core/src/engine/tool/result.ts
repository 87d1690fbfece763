import { Schema, SchemaGetter } from "effect"
import { amount, type Rounding } from "./rounding.ts"

const isInstant = Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/u)

/** An instant in results: ISO 8601 in UTC with `Z`. */
export const Instant = Schema.String.annotate({ format: "date-time" }).check(isInstant)

/** The second that was written last, for most instants of results are of the present one. */
let written = { second: NaN, text: "" }

/** Writes an instant (epoch ms) as results have it. */
export const instant = (time: number): string => {
  const second = Math.floor(time / 1000)
  if (second !== written.second) written = { second, text: new Date(second * 1000).toISOString().slice(0, -4) }
  return `${written.text}${String(Math.trunc(time - second * 1000)).padStart(3, "0")}Z`
}

const rounded = (written: typeof Schema.Finite, rounding: Rounding) =>
  written.pipe(
    Schema.decodeTo(Schema.Finite, { decode: SchemaGetter.passthrough(), encode: SchemaGetter.transform(rounding) })
  )

/** A finite number, described, and rounded when it is written: as an amount unless said otherwise. */
export const quantity = (description: string, rounding: Rounding = amount) =>
  rounded(Schema.Finite.annotate({ description }), rounding)

/** A number that may not be computable; then null, and `notes` says why. */
export const maybe = (description: string, rounding: Rounding = amount) =>
  Schema.NullOr(rounded(Schema.Finite, rounding)).annotate({ description })

/** What a result knows of up to when, where it is another than `provenance` says. */
export const asOf = (description: string) =>
  Schema.String.annotate({ format: "date-time", description }).check(isInstant)

/** The rules that a result's derived values are made by, each with its version. */
export const ruleVersions = Schema.Array(Schema.String).annotate({
  description: "Rules that the values are made by, each with its version: those of two versions are not comparable"
})

/** Why a quantity is null, what was cut, which assumption a number stands on. */
export const notes = Schema.Array(Schema.String)

/** The number, or null when it is not one (an indicator that is still warming up, a change from 0). */
export const finiteOrNull = (value: number | null | undefined): number | null =>
  value !== null && value !== undefined && Number.isFinite(value) ? value : null
