import { type Clock, Duration, Effect } from "effect"
import { setImmediate } from "node:timers/promises"

interface Sleeper {
  readonly due: number
  readonly order: number
  readonly wake: () => void
}

/**
 * A clock for a week of a market over real sockets: time goes on only where a test says so, and only while nobody
 * works. Somebody works while a limit on how long something may take stands (they are known by their lengths), or while
 * something that was counted in has not ended.
 */
export class VirtualClock implements Clock.Clock {
  readonly #limitsMs: ReadonlyArray<number>
  readonly #sleepers = new Set<Sleeper>()
  #now: number
  #order = 0
  #working = 0

  constructor(now: number, limitsMs: ReadonlyArray<number>) {
    this.#now = now
    this.#limitsMs = limitsMs
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
      const isLimit = this.#limitsMs.includes(ms)
      if (isLimit) {
        this.#working++
        return Effect.sync(() => void this.#working--)
      }
      const sleeper = { due: this.#now + Math.ceil(ms), order: this.#order++, wake: () => resume(Effect.void) }
      this.#sleepers.add(sleeper)
      return Effect.sync(() => void this.#sleepers.delete(sleeper))
    })
  }

  /** Something that takes real time: time stands meanwhile. */
  counted<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.#working++
      return Effect.ensuring(effect, Effect.sync(() => void this.#working--))
    })
  }

  /** Something within what is counted that takes no real time: somebody who works there sleeps. */
  uncounted<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.#working--
      return Effect.ensuring(effect, Effect.sync(() => void this.#working++))
    })
  }

  /** Waits until nobody works: all sleep. */
  async #settled(): Promise<void> {
    for (let quiet = 0; quiet < 4; quiet++) {
      await setImmediate()
      if (this.#working > 0) quiet = -1
    }
  }

  /** Time goes on to an instant, through all that wakes before it. */
  async pass(to: number): Promise<void> {
    await this.#settled()
    for (let next = this.#next(to); next !== undefined; next = this.#next(to)) {
      this.#now = Math.max(this.#now, next.due)
      this.#wake(next)
      await this.#settled()
    }
    this.#now = Math.max(this.#now, to)
  }

  /** Time leaps to an instant: who slept till before it wakes late. */
  async leap(to: number): Promise<void> {
    await this.#settled()
    this.#now = Math.max(this.#now, to)
    await this.hurry(to)
  }

  /** Everybody who sleeps till before an instant has had a turn, though time stands still. */
  async hurry(before: number): Promise<void> {
    await this.#settled()
    for (const sleeper of [...this.#sleepers].filter(({ due }) => due < before).sort((a, b) => a.due - b.due)) {
      this.#wake(sleeper)
      await this.#settled()
    }
  }

  #next(to: number): Sleeper | undefined {
    return [...this.#sleepers].filter(({ due }) => due <= to).sort((a, b) => a.due - b.due || a.order - b.order)[0]
  }

  #wake(sleeper: Sleeper): void {
    if (this.#sleepers.delete(sleeper)) sleeper.wake()
  }
}
