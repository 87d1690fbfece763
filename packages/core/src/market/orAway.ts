import { Effect } from "effect"
import type { NoData, SourceUnavailable, UnknownSymbol } from "./errors.ts"
import type { MarketRead, Reading } from "./reading.ts"

/** What was told, or who is away. */
export type OrAway<A> =
  | { readonly told: Reading<A>; readonly away: null }
  | { readonly told: null; readonly away: SourceUnavailable }

/** A read that an answer can do without, as long as it says whose data it lacks. */
export const orAway = <A>(read: MarketRead<A>): Effect.Effect<OrAway<A>, UnknownSymbol | NoData> =>
  read.pipe(
    Effect.map((told): OrAway<A> => ({ told, away: null })),
    Effect.catchTag("SourceUnavailable", (away) => Effect.succeed<OrAway<A>>({ told: null, away }))
  )

/** Why an answer lacks something: who does not tell it, and what to set where that helps. */
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
