import type { SourceFailure } from "@tapeline/core/engine"
import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"

/** The failures that an early retry cannot resolve. */
export const lastingFailures: ReadonlyArray<SourceFailure> = ["blocked", "not_configured"]

/** Whether an early retry cannot resolve the failure. */
export const isLasting = ({ failure }: Pick<SourceUnavailable, "failure">): boolean => lastingFailures.includes(failure)

/**
 * Returns the response of the first source that succeeds. If a source fails with a failure in `failures`, the next
 * source is used. By default, only lasting failures count, so that a series does not change its source with each short
 * outage. If no source succeeds, fails with the error of the last used source.
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
