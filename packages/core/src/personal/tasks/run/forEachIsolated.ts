import { Effect } from "effect"

/** Runs `work` for each item with the given concurrency, and fails with the first failure only after all items ran. */
export const forEachIsolated = <A, B, E, R>(
  items: ReadonlyArray<A>,
  work: (item: A) => Effect.Effect<B, E, R>,
  concurrency: number
): Effect.Effect<ReadonlyArray<B>, E, R> =>
  Effect.flatMap(
    Effect.partition(items, work, { concurrency }),
    ([results, [failure]]) => failure === undefined ? Effect.succeed(results) : Effect.fail(failure)
  )
