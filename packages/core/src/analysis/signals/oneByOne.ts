import { Effect, Semaphore } from "effect"

/**
 * Starts effects one at a time and lets other fibers run before each. Computations without a wait thus block the thread
 * for only one effect at a time. The waits of the effects still overlap.
 */
export const makeOneByOne = () => {
  const gate = Semaphore.makeUnsafe(1)
  // Fibers that yield at the same time continue in one turn of the event loop. The semaphore gives each its own turn.
  const turn = gate.withPermit(Effect.yieldNow)
  return <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => Effect.andThen(turn, effect)
}
