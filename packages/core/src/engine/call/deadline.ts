import { Effect, type Exit, Fiber } from "effect"

/**
 * Runs `effect` in its own fiber and returns its exit. Returns null if `effect` takes longer than `limitMs`, or longer
 * than twice `limitMs` if `isCommitted` at the first limit. Interrupts `effect` at the limit, and when the caller is
 * interrupted. Work that completes without waiting needs no timer.
 */
export const runWithDeadline = <A, E>(
  effect: Effect.Effect<A, E>,
  limitMs: number,
  isCommitted: () => boolean = () => false
): Effect.Effect<Exit.Exit<A, E> | null> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.withFiber(({ context }) => {
      const fiber = Effect.runForkWith(context)(effect)
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return Effect.succeed(exit)
      const waitForLimit = Effect.sleep(limitMs)
      const waitForDeadline = Effect.andThen(
        waitForLimit,
        Effect.suspend(() => isCommitted() ? waitForLimit : Effect.void)
      )
      const exitOrTimeout = Effect.raceFirst(Fiber.await(fiber), Effect.as(waitForDeadline, null))
      return Effect.ensuring(restore(exitOrTimeout), Fiber.interrupt(fiber))
    })
  )
