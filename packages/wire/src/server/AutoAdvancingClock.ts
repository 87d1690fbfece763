import { type Clock, Duration, Effect } from "effect"

interface TimeLimit {
  readonly until: number
  readonly end: () => void
}

/**
 * A clock for tests of waiting code. A pause ends at once and advances the time, whereas a time limit runs until
 * `expireFirst`. Tests therefore wait for nothing and do not depend on timing.
 *
 * Limits are recognised by their lengths, so no pause may have the length of a limit. If the lengths of limits vary,
 * the test passes a predicate.
 */
export class AutoAdvancingClock implements Clock.Clock {
  readonly #timeLimits = new Set<TimeLimit>()
  readonly #isTimeLimit: (ms: number) => boolean
  #now: number

  constructor(now: number, guards: ReadonlyArray<number> | ((ms: number) => boolean)) {
    this.#now = now
    this.#isTimeLimit = typeof guards === "function" ? guards : (ms) => guards.includes(ms)
  }

  readonly currentTimeMillis: Effect.Effect<number> = Effect.sync(() => this.#now)
  readonly currentTimeNanos: Effect.Effect<bigint> = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos: Effect.Effect<bigint> = this.currentTimeNanos

  currentTimeMillisUnsafe(): number {
    return this.#now
  }

  currentTimeNanosUnsafe(): bigint {
    return BigInt(Math.round(this.#now * 1_000)) * 1_000n
  }

  monotonicTimeNanosUnsafe(): bigint {
    return this.currentTimeNanosUnsafe()
  }

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const ms = Duration.toMillis(duration)
    if (!this.#isTimeLimit(ms)) {
      return Effect.andThen(
        Effect.sync(() => {
          this.#now += Math.ceil(ms)
        }),
        Effect.yieldNow
      )
    }
    return Effect.callback<void>((resume) => {
      const guard = { until: this.#now + ms, end: () => resume(Effect.void) }
      this.#timeLimits.add(guard)
      return Effect.sync(() => void this.#timeLimits.delete(guard))
    })
  }

  /** Advances the time. */
  advance(ms: number): void {
    this.#now += ms
  }

  /** Expires the limit that ends first. */
  expireFirst(): void {
    const first = [...this.#timeLimits].sort((a, b) => a.until - b.until)[0]
    if (first === undefined) return
    this.#timeLimits.delete(first)
    this.#now = Math.max(this.#now, first.until)
    first.end()
  }
}
