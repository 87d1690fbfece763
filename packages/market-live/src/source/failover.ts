import type { SourceFailure } from "@tapeline/core/engine"
import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"

/** The failures that an early retry cannot resolve. */
export const lastingFailures: ReadonlyArray<SourceFailure> = ["blocked", "not_configured"]

/** Returns whether an early retry cannot resolve the failure. */
export const isLasting = ({ failure }: Pick<SourceUnavailable, "failure">): boolean => lastingFailures.includes(failure)

/**
 * Returns the response of the first available source, or the error of the last requested source. The next source is
 * requested only after one of the errors in `failures`. By default, a short outage does not change the source of a
 * series.
 */
export const firstAvailable = <A, R>(
  [first, ...others]: readonly [
    Effect.Effect<A, SourceUnavailable, R>,
    ...Array<Effect.Effect<A, SourceUnavailable, R>>
  ],
  failures: ReadonlyArray<SourceFailure> = lastingFailures
): Effect.Effect<A, SourceUnavailable, R> =>
  others.reduce(
    (attempt, next) => Effect.catch(attempt, (error) => failures.includes(error.failure) ? next : Effect.fail(error)),
    first
  )
