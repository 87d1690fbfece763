import { dayMs, hourMs, newYorkOffset } from "@tapeline/core/market"
import { Schema, SchemaTransformation } from "effect"

const isDate = (text: string): boolean => !Number.isNaN(Date.parse(text))

/** A date of any year, because filings mention old dates; decoded to its midnight in UTC. */
export const FactDate = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\d$/u, { expected: "a date" }),
  Schema.makeFilter(isDate, { expected: "a date" })
).pipe(
  Schema.decodeTo(
    Schema.Finite,
    SchemaTransformation.transform({
      decode: (text) => Date.parse(text),
      encode: (ms) => new Date(ms).toISOString().slice(0, 10)
    })
  )
)

/** The time at which a date begins in New York. */
export const beginsAt = (date: number): number => date + newYorkOffset(date / dayMs) * hourMs

/** The last millisecond of a date in New York. */
export const endsAt = (date: number): number => beginsAt(date + dayMs) - 1
