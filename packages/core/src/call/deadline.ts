import { Effect, type Exit, Fiber } from "effect"

/**
 * Runs `work` in a fiber of its own and gives how it ended; null when that takes longer than `limitMs`, unless
 * `isCommitted` by then. It is interrupted at the limit, and when its caller is. What ends without having to wait for
 * anything costs no timer.
 */
export const endWithin = <A, E>(
  work: Effect.Effect<A, E>,
  limitMs: number,
  isCommitted: () => boolean = () => false
): Effect.Effect<Exit.Exit<A, E> | null> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.withFiber(({ context }) => {
      const fiber = Effect.runForkWith(context)(work)
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return Effect.succeed(exit)
      const late = Effect.flatMap(Effect.sleep(limitMs), () => isCommitted() ? Effect.never : Effect.succeed(null))
      const ended = Effect.raceFirst(Fiber.await(fiber), late)
      return Effect.ensuring(restore(ended), Fiber.interrupt(fiber))
    })
  )
