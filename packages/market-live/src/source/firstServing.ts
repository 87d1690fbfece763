import type { SourceFailure } from "@tapeline/core/engine"
import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"
import { lasting } from "./lasting.ts"

/**
 * Returns the answer of the first source that serves this location. The next source is used if one fails in a way of
 * `when`. By default these are only the lasting failures: a series must not change its source with each short outage.
 * Otherwise it fails with the error of the last source that was used.
 */
export const firstServing = <A, R>(
  [first, ...others]: readonly [
    Effect.Effect<A, SourceUnavailable, R>,
    ...Array<Effect.Effect<A, SourceUnavailable, R>>
  ],
  when: ReadonlyArray<SourceFailure> = lasting
): Effect.Effect<A, SourceUnavailable, R> =>
  others.reduce(
    (asked, next) => Effect.catch(asked, (error) => when.includes(error.failure) ? next : Effect.fail(error)),
    first
  )
