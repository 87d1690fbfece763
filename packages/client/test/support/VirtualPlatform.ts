import type { Platform } from "../../src/platform.ts"

/** The number of turns of the event loop without a new timer after which all running work waits for time to pass. */
const idleTurnsBeforeAdvance = 8

/** A clock that advances to the next timer when no other work is possible. */
export class VirtualPlatform implements Platform {
  readonly startedAtMs = Date.UTC(2026, 10, 22)
  #now = this.startedAtMs
  readonly #timers = new Set<{ due: number; readonly run: () => void }>()
  #idleTurnCount = 0
  #isScheduled = false

  readonly monotonicMs = (): number => this.#now
  readonly wallClockMs = (): number => this.#now
  readonly random = (): number => 0

  readonly schedule = (ms: number, run: () => void): () => void => {
    const timer = { due: this.#now + ms, run }
    this.#timers.add(timer)
    this.#idleTurnCount = 0
    this.#scheduleTurn()
    return () => void this.#timers.delete(timer)
  }

  /** Simulates sleep of the machine: time advances, and timers are delayed by an equal time. */
  suspendFor(ms: number): void {
    this.#now += ms
    for (const timer of this.#timers) timer.due += ms
  }

  #scheduleTurn(): void {
    if (this.#isScheduled || this.#timers.size === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      if (++this.#idleTurnCount >= idleTurnsBeforeAdvance) this.#advanceToNextTimer()
      this.#scheduleTurn()
    })
  }

  #advanceToNextTimer(): void {
    this.#idleTurnCount = 0
    const [next] = [...this.#timers].sort((a, b) => a.due - b.due)
    if (next === undefined) return
    this.#timers.delete(next)
    this.#now = Math.max(this.#now, next.due)
    next.run()
  }
}
