import { Effect } from "effect"
import type { NoData, SourceUnavailable, UnknownSymbol } from "./errors.ts"
import type { MarketRead, Reading } from "./reading.ts"

/** A reading, or the error of its unavailable source. */
export type OrAway<A> =
  | { readonly told: Reading<A>; readonly away: null }
  | { readonly told: null; readonly away: SourceUnavailable }

/** Makes a read optional: returns `SourceUnavailable` as a value. The result must then name the missing source. */
export const orAway = <A>(read: MarketRead<A>): Effect.Effect<OrAway<A>, UnknownSymbol | NoData> =>
  read.pipe(
    Effect.map((told): OrAway<A> => ({ told, away: null })),
    Effect.catchTag("SourceUnavailable", (away) => Effect.succeed<OrAway<A>>({ told: null, away }))
  )

/** Writes a note about missing data: the source, the reason and, if a setting helps, its variable. */
export const awayNote = ({ failure, source, variable }: SourceUnavailable, lacks: string): string => {
  const why = failure === "not_configured"
    ? `is not set up here${variable === undefined ? "" : ` (${variable})`}`
    : failure === "blocked"
    ? "does not serve the place that this service runs at"
    : failure === "filling"
    ? "is still being recorded"
    : "does not answer now"
  return `${source} ${why}: ${lacks}.`
}
