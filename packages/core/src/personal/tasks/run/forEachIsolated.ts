import { Effect } from "effect"

/**
 * Runs `work` for each item with the given concurrency and returns the results. A failure, such as a locked row of one
 * task, does not stop the other items. After all items ran, fails with the first failure.
 */
export const forEachIsolated = <A, B, E, R>(
  items: ReadonlyArray<A>,
  work: (item: A) => Effect.Effect<B, E, R>,
  concurrency: number
): Effect.Effect<ReadonlyArray<B>, E, R> =>
  Effect.flatMap(
    Effect.partition(items, work, { concurrency }),
    ([results, [failure]]) => failure === undefined ? Effect.succeed(results) : Effect.fail(failure)
  )
