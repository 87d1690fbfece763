import { Effect, Semaphore } from "effect"

/**
 * Begins effects one by one, and lets others run before each: what they compute without waiting holds up the thread
 * for one of them at a time, however many are begun together. They still wait side by side.
 */
export const makeOneByOne = () => {
  const gate = Semaphore.makeUnsafe(1)
  // All that yield at one time go on in one turn of the event loop; behind the gate each has a turn of its own.
  const turn = gate.withPermit(Effect.yieldNow)
  return <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => Effect.andThen(turn, effect)
}
