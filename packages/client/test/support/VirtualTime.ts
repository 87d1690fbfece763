import type { Platform } from "../../src/platform.ts"

/** After this many turns of the event loop without a new timer, all work waits for time to pass. */
const idleTurns = 8

/** A clock that advances when no other work is possible, directly to the next timer. */
export class VirtualTime implements Platform {
  readonly began = Date.UTC(2026, 10, 22)
  #now = this.began
  readonly #timers = new Set<{ due: number; readonly run: () => void }>()
  #turns = 0
  #isTurning = false

  readonly now = (): number => this.#now
  readonly date = (): number => this.#now
  readonly random = (): number => 0

  readonly after = (ms: number, run: () => void): () => void => {
    const timer = { due: this.#now + ms, run }
    this.#timers.add(timer)
    this.#turns = 0
    this.#turn()
    return () => void this.#timers.delete(timer)
  }

  /** Simulates sleep of the machine: time advances, and timers are delayed by the same time. */
  suspend(ms: number): void {
    this.#now += ms
    for (const timer of this.#timers) timer.due += ms
  }

  #turn(): void {
    if (this.#isTurning || this.#timers.size === 0) return
    this.#isTurning = true
    setImmediate(() => {
      this.#isTurning = false
      if (++this.#turns >= idleTurns) this.#pass()
      this.#turn()
    })
  }

  #pass(): void {
    this.#turns = 0
    const [next] = [...this.#timers].sort((a, b) => a.due - b.due)
    if (next === undefined) return
    this.#timers.delete(next)
    this.#now = Math.max(this.#now, next.due)
    next.run()
  }
}
