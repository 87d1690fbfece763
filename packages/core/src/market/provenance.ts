import { Schema } from "effect"
import { asOf, formatInstant } from "../engine/tool/result.ts"
import { type Reading, sourcesOf } from "./reading.ts"

/** The fields for the source and the time of the data, in every result that uses market data. */
export const provenance = {
  as_of: asOf("Time of the latest data used; with several sources, of the source that is furthest behind"),
  source: Schema.String.annotate({
    description: "The sources of the data, separated by commas; `simulated` is not the real market"
  })
}

/** Returns the sources of a result's readings, separated by commas. */
export const sourceText = (...readings: ReadonlyArray<Pick<Reading<unknown>, "sources">>): string =>
  sourcesOf(readings).join(", ")

/** Returns the `source` and `as_of` fields of a result. `as_of` is the time of the oldest reading. */
export const provenanceOf = (
  ...readings: readonly [Reading<unknown>, ...ReadonlyArray<Reading<unknown>>]
): { readonly as_of: string; readonly source: string } => ({
  as_of: formatInstant(Math.min(...readings.map(({ asOf }) => asOf))),
  source: sourceText(...readings)
})
