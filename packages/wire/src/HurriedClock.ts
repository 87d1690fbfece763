import { type Clock, Duration, Effect } from "effect"

interface Guard {
  readonly until: number
  readonly end: () => void
}

/**
 * A clock for tests of what waits: a pause passes at once (and time with it), while a limit on how long something may
 * take stands until it is told to run out. So nothing waits in fact, and nothing depends on who is faster.
 *
 * Limits are known by their lengths: no pause may be as long as one. Of limits whose lengths vary a test says by itself
 * which they are.
 */
export class HurriedClock implements Clock.Clock {
  readonly #guards = new Set<Guard>()
  readonly #isGuard: (ms: number) => boolean
  #now: number

  constructor(now: number, guards: ReadonlyArray<number> | ((ms: number) => boolean)) {
    this.#now = now
    this.#isGuard = typeof guards === "function" ? guards : (ms) => guards.includes(ms)
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
    if (!this.#isGuard(ms)) {
      return Effect.andThen(
        Effect.sync(() => {
          this.#now += Math.ceil(ms)
        }),
        Effect.yieldNow
      )
    }
    return Effect.callback<void>((resume) => {
      const guard = { until: this.#now + ms, end: () => resume(Effect.void) }
      this.#guards.add(guard)
      return Effect.sync(() => void this.#guards.delete(guard))
    })
  }

  /** Lets time pass. */
  pass(ms: number): void {
    this.#now += ms
  }

  /** Lets the limit run out that would first. */
  expire(): void {
    const first = [...this.#guards].sort((a, b) => a.until - b.until)[0]
    if (first === undefined) return
    this.#guards.delete(first)
    this.#now = Math.max(this.#now, first.until)
    first.end()
  }
}
