import type { SourceFailure } from "@tapeline/core/engine"
import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"

/** The failures after which an early retry is useless, because the cause lasts. */
export const lastingFailures: ReadonlyArray<SourceFailure> = ["blocked", "not_configured"]

/** Returns whether an early retry is useless, because the cause of the failure lasts. */
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
