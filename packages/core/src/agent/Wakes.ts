import { Effect, Latch, type Scope } from "effect"

/** Who waits in this process for notices of generations: for adapters of `GenerationLog`. */
export class Wakes {
  readonly #latches = new Map<number, Set<Latch.Latch>>()

  /** As `GenerationLog.listen`. */
  listen(generation: number): Effect.Effect<{ readonly woken: Effect.Effect<void> }, never, Scope.Scope> {
    const begin = Effect.sync(() => {
      const latch = Latch.makeUnsafe(false)
      const latches = this.#latches.get(generation) ?? new Set()
      this.#latches.set(generation, latches.add(latch))
      return latch
    })
    const end = (latch: Latch.Latch) =>
      Effect.sync(() => {
        const latches = this.#latches.get(generation)
        latches?.delete(latch)
        if (latches?.size === 0) this.#latches.delete(generation)
      })
    return Effect.map(Effect.acquireRelease(begin, end), (latch) => ({
      woken: Effect.tap(latch.await, () => Effect.sync(() => latch.closeUnsafe()))
    }))
  }

  /** Tells those who listen to one generation that there may be more. */
  wake(generation: number): void {
    this.#latches.get(generation)?.forEach((latch) => latch.openUnsafe())
  }

  /** Tells everybody, after notices may have been missed. */
  wakeAll(): void {
    for (const generation of this.#latches.keys()) this.wake(generation)
  }

  /** How many listen. */
  get size(): number {
    let count = 0
    for (const latches of this.#latches.values()) count += latches.size
    return count
  }
}
