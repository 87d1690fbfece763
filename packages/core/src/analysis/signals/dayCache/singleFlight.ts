import { Deferred, Effect, type Fiber } from "effect"

interface SharedRun<A, E> {
  readonly result: Deferred.Deferred<A, E>
  waiters: number
  fiber: Fiber.Fiber<unknown> | undefined
}

/**
 * Runs an effect once for all concurrent callers with the same key. If all callers are interrupted, the effect is
 * interrupted.
 */
export const makeSingleFlight = <A, E>() => {
  const runs = new Map<string, SharedRun<A, E>>()

  const removeRun = (key: string, run: SharedRun<A, E>): void => {
    if (runs.get(key) === run) runs.delete(key)
  }

  const startRun = (key: string, run: SharedRun<A, E>, effect: Effect.Effect<A, E>) =>
    Effect.map(
      Effect.forkDetach(Effect.flatMap(Effect.exit(effect), (exit) => {
        removeRun(key, run)
        return Deferred.done(run.result, exit)
      })),
      (fiber) => {
        run.fiber = fiber
      }
    )

  const leaveRun = (key: string, run: SharedRun<A, E>) =>
    Effect.sync(() => {
      run.waiters--
      if (run.waiters > 0) return
      removeRun(key, run)
      run.fiber?.interruptUnsafe()
    })

  return (key: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const running = runs.get(key)
        const run = running ?? { result: Deferred.makeUnsafe<A, E>(), waiters: 0, fiber: undefined }
        run.waiters++
        const awaitResult = Effect.ensuring(restore(Deferred.await(run.result)), leaveRun(key, run))
        if (running !== undefined) return awaitResult
        runs.set(key, run)
        return Effect.andThen(startRun(key, run, effect), awaitResult)
      })
    )
}
