import { Schema } from "effect"
import { asOf, instant } from "../engine/tool/result.ts"
import { type Reading, sourcesOf } from "./reading.ts"

/** Fields of every result that stands on market data. */
export const provenance = {
  as_of: asOf("Time of the newest datum used; of several sources, of the one that lags most"),
  source: Schema.String.annotate({
    description: "Where the data came from, several by comma; `simulated` is not the real market"
  })
}

/** The sources of the readings that a result stands on, as results have them. */
export const sourceOf = (...readings: ReadonlyArray<Pick<Reading<unknown>, "sources">>): string =>
  sourcesOf(readings).join(", ")

/** `as_of` and `source` of a result that stands on these readings of the present: as new as the oldest of them. */
export const provenanceOf = (
  ...readings: readonly [Reading<unknown>, ...ReadonlyArray<Reading<unknown>>]
): { readonly as_of: string; readonly source: string } => ({
  as_of: instant(Math.min(...readings.map(({ asOf }) => asOf))),
  source: sourceOf(...readings)
})
