import { Effect, Latch, type Scope } from "effect"

/** Lets the fibres of one process wait for new events of generations. */
export class GenerationWaiters {
  readonly #latches = new Map<number, Set<Latch.Latch>>()

  listen(generation: number): Effect.Effect<{ readonly awaitNotification: Effect.Effect<void> }, never, Scope.Scope> {
    const acquire = Effect.sync(() => {
      const latch = Latch.makeUnsafe(false)
      const latches = this.#latches.get(generation) ?? new Set()
      this.#latches.set(generation, latches.add(latch))
      return latch
    })
    const release = (latch: Latch.Latch) =>
      Effect.sync(() => {
        const latches = this.#latches.get(generation)
        latches?.delete(latch)
        if (latches?.size === 0) this.#latches.delete(generation)
      })
    return Effect.map(Effect.acquireRelease(acquire, release), (latch) => ({
      awaitNotification: Effect.tap(latch.await, () => Effect.sync(() => latch.closeUnsafe()))
    }))
  }

  /** Wakes the listeners of one generation, because the generation's log may have more events. */
  wake(generation: number): void {
    this.#latches.get(generation)?.forEach((latch) => latch.openUnsafe())
  }

  /** Wakes the listeners of all generations after a possible loss of notices. */
  wakeAll(): void {
    for (const generation of this.#latches.keys()) this.wake(generation)
  }

  get size(): number {
    let count = 0
    for (const latches of this.#latches.values()) count += latches.size
    return count
  }
}
