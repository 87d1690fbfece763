import { type Clock, Duration, Effect } from "effect"

interface TimeLimit {
  readonly until: number
  readonly end: () => void
}

/**
 * A clock for tests of code that sleeps. A sleep ends immediately and advances the clock. A time limit, however, ends
 * only when the test calls `expireFirst`.
 *
 * The constructor receives the durations of all time limits, or a predicate for these durations. No other sleep may
 * have the duration of a time limit.
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

  advance(ms: number): void {
    this.#now += ms
  }

  /** Expires the pending time limit with the earliest end. */
  expireFirst(): void {
    const first = [...this.#timeLimits].sort((a, b) => a.until - b.until)[0]
    if (first === undefined) return
    this.#timeLimits.delete(first)
    this.#now = Math.max(this.#now, first.until)
    first.end()
  }
}
