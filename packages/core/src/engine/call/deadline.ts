import { Effect, type Exit, Fiber } from "effect"

/**
 * Runs `effect` in a separate fiber and returns its exit, or null if the time limit ends first. If `isCommitted`
 * returns true after `limitMs`, `effect` may run for another `limitMs`. Interrupts `effect` when the time limit ends or
 * the caller is interrupted.
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
