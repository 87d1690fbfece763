import { type Clock, Duration, Effect } from "effect"
import { setImmediate } from "node:timers/promises"

interface Sleeper {
  readonly due: number
  readonly order: number
  readonly wake: () => void
}

/**
 * A clock for a simulated week over real sockets. Time advances only on request, and only while no work is in progress.
 * Work is in progress while a sleep with a length in `#timeoutsMs` is pending, or an effect in `whileWorking` runs.
 */
export class VirtualClock implements Clock.Clock {
  readonly #timeoutsMs: ReadonlyArray<number>
  readonly #sleepers = new Set<Sleeper>()
  #now: number
  #order = 0
  #workCount = 0

  constructor(now: number, timeoutsMs: ReadonlyArray<number>) {
    this.#now = now
    this.#timeoutsMs = timeoutsMs
  }

  readonly currentTimeMillis: Effect.Effect<number> = Effect.sync(() => this.#now)
  readonly currentTimeNanos: Effect.Effect<bigint> = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos: Effect.Effect<bigint> = this.currentTimeNanos

  currentTimeMillisUnsafe(): number {
    return this.#now
  }

  currentTimeNanosUnsafe(): bigint {
    return BigInt(Math.round(this.#now)) * 1_000_000n
  }

  monotonicTimeNanosUnsafe(): bigint {
    return this.currentTimeNanosUnsafe()
  }

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const ms = Duration.toMillis(duration)
    return Effect.callback<void>((resume) => {
      const isLimit = this.#timeoutsMs.includes(ms)
      if (isLimit) {
        this.#workCount++
        return Effect.sync(() => void this.#workCount--)
      }
      const sleeper = { due: this.#now + Math.ceil(ms), order: this.#order++, wake: () => resume(Effect.void) }
      this.#sleepers.add(sleeper)
      return Effect.sync(() => void this.#sleepers.delete(sleeper))
    })
  }

  /** Runs an effect that takes real time, during which virtual time does not advance. */
  whileWorking<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.#workCount++
      return Effect.ensuring(effect, Effect.sync(() => void this.#workCount--))
    })
  }

  /** Within `whileWorking`, runs a part that does not count as work, such as a sleep. */
  whileIdle<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.#workCount--
      return Effect.ensuring(effect, Effect.sync(() => void this.#workCount++))
    })
  }

  async #awaitIdle(): Promise<void> {
    for (let quietTurns = 0; quietTurns < 4; quietTurns++) {
      await setImmediate()
      if (this.#workCount > 0) quietTurns = -1
    }
  }

  async advanceTo(to: number): Promise<void> {
    await this.#awaitIdle()
    for (let next = this.#nextSleeper(to); next !== undefined; next = this.#nextSleeper(to)) {
      this.#now = Math.max(this.#now, next.due)
      this.#wake(next)
      await this.#awaitIdle()
    }
    this.#now = Math.max(this.#now, to)
  }

  /** Sets the time to an instant immediately. Sleeps that should have ended before the instant end late. */
  async jumpTo(to: number): Promise<void> {
    await this.#awaitIdle()
    this.#now = Math.max(this.#now, to)
    await this.wakeDueBefore(to)
  }

  /** Ends all sleeps that are due before an instant, without advancing the time. */
  async wakeDueBefore(before: number): Promise<void> {
    await this.#awaitIdle()
    for (const sleeper of [...this.#sleepers].filter(({ due }) => due < before).sort((a, b) => a.due - b.due)) {
      this.#wake(sleeper)
      await this.#awaitIdle()
    }
  }

  #nextSleeper(to: number): Sleeper | undefined {
    return [...this.#sleepers].filter(({ due }) => due <= to).sort((a, b) => a.due - b.due || a.order - b.order)[0]
  }

  #wake(sleeper: Sleeper): void {
    if (this.#sleepers.delete(sleeper)) sleeper.wake()
  }
}
