import type { SourceFailure } from "@tapeline/core/engine"
import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"

/** Failures that a retry soon afterwards does not resolve. */
export const lastingFailures: ReadonlyArray<SourceFailure> = ["blocked", "not_configured"]

/** Whether a retry soon afterwards cannot resolve a failure. */
export const isLasting = ({ failure }: Pick<SourceUnavailable, "failure">): boolean => lastingFailures.includes(failure)

/**
 * Returns the answer of the first source that serves this location. The next source is used if one fails in a way of
 * `failures`. By default these are only the lasting failures: a series must not change its source with each short
 * outage. Otherwise it fails with the error of the last source that was used.
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
