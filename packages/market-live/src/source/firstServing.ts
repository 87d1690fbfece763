import type { SourceFailure } from "@tapeline/core/engine"
import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"
import { lasting } from "./lasting.ts"

/**
 * The answer of the first source that serves this place. The next one is asked where a source fails in one of the ways
 * of `when`: by default the lasting ones alone, since a series that changes its source with each hiccup is no series.
 * Where none answers, it fails as the last one that was asked.
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
