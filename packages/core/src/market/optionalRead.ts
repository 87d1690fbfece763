import { Effect } from "effect"
import type { NoData, SourceUnavailable, UnknownSymbol } from "./errors.ts"
import type { MarketRead, Reading } from "./reading.ts"

/** A reading, or the error of its unavailable source. */
export type OptionalReading<A> =
  | { readonly reading: Reading<A>; readonly error: null }
  | { readonly reading: null; readonly error: SourceUnavailable }

/**
 * Returns the reading, or a `SourceUnavailable` error as a value, so that a tool can return a result without the
 * unavailable data.
 */
export const readOptional = <A>(read: MarketRead<A>): Effect.Effect<OptionalReading<A>, UnknownSymbol | NoData> =>
  read.pipe(
    Effect.map((reading): OptionalReading<A> => ({ reading, error: null })),
    Effect.catchTag("SourceUnavailable", (error) => Effect.succeed<OptionalReading<A>>({ reading: null, error }))
  )

/** Formats a note about missing data: the source, the reason and, if a setting helps, its environment variable. */
export const unavailableNote = ({ failure, source, variable }: SourceUnavailable, missingData: string): string => {
  const status = failure === "not_configured"
    ? `is not configured here${variable === undefined ? "" : ` (${variable})`}`
    : failure === "blocked"
    ? "is not available in the region of this service"
    : failure === "filling"
    ? "is still being backfilled"
    : "does not respond now"
  return `${source} ${status}: ${missingData}.`
}
