import { Effect } from "effect"

/**
 * Does some work for each of many, some of them at once, and gives what came of it. What fails for one, as for a task
 * whose row somebody holds, keeps none of the others; it is told once all were tried.
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
