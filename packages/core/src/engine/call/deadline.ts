import { Effect, type Exit, Fiber } from "effect"

/**
 * Runs `work` in its own fiber and returns its exit. Returns null if `work` takes longer than `limitMs`, or longer than
 * twice `limitMs` if `isCommitted` at the first limit. Interrupts `work` at the limit, and when the caller is
 * interrupted. Work that completes without waiting needs no timer.
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
      const limit = Effect.sleep(limitMs)
      const late = Effect.andThen(limit, Effect.suspend(() => isCommitted() ? limit : Effect.void))
      const ended = Effect.raceFirst(Fiber.await(fiber), Effect.as(late, null))
      return Effect.ensuring(restore(ended), Fiber.interrupt(fiber))
    })
  )
