import { Effect } from "effect"

/**
 * Runs `work` for each item with the given concurrency and returns the results. A failure, such as a locked row of one
 * task, does not stop the other items. After all items ran, fails with the first failure.
 */
export const eachAlone = <A, B, E, R>(
  items: ReadonlyArray<A>,
  work: (item: A) => Effect.Effect<B, E, R>,
  concurrency: number
): Effect.Effect<ReadonlyArray<B>, E, R> =>
  Effect.flatMap(
    Effect.partition(items, work, { concurrency }),
    ([done, [failure]]) => failure === undefined ? Effect.succeed(done) : Effect.fail(failure)
  )
