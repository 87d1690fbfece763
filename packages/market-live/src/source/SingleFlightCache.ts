import { Clock, Deferred, Effect, type Fiber, type Scope } from "effect"

interface InFlightRequest<A, E> {
  readonly done: Deferred.Deferred<A, E>
  fiber: Fiber.Fiber<A, E> | undefined
  waiters: number
  readonly survivesWaiters: boolean
}

interface CachedValue<A> {
  readonly value: A
  readonly until: number
}

/**
 * Merges concurrent requests with an equal key into one request, and caches its value for `ttlMs`. When the last caller
 * leaves, the request is interrupted. With `survivesWaiters`, a request without callers continues unless another
 * request is waiting. Effect's `Cache` would interrupt such a request too.
 */
export class SingleFlightCache<A, E> {
  readonly #scope: Scope.Scope
  readonly #maxEntries: number
  readonly #inFlight = new Map<string, InFlightRequest<A, E>>()
  readonly #cached = new Map<string, CachedValue<A>>()

  readonly #isPlaceWanted: () => boolean

  /** Creates a cache. `isPlaceWanted` returns whether another request waits because too many requests are running. */
  constructor(scope: Scope.Scope, isPlaceWanted: () => boolean = () => false, maxEntries = 512) {
    this.#scope = scope
    this.#isPlaceWanted = isPlaceWanted
    this.#maxEntries = maxEntries
  }

  /** Interrupts the oldest request that runs without callers. */
  interruptUnwatched(): void {
    for (const [key, flight] of this.#inFlight) {
      if (flight.waiters > 0 || !flight.survivesWaiters) continue
      return this.#interrupt(key, flight)
    }
  }

  get(key: string, ttlMs: number, request: Effect.Effect<A, E>, survivesWaiters = false): Effect.Effect<A, E> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const cached = this.#cached.get(key)
      // After the clock was set back, a cached value must not live longer than `ttlMs`.
      if (cached !== undefined && now < cached.until && cached.until - now <= ttlMs) return Effect.succeed(cached.value)
      return this.#join(key, Effect.tap(request, (value) => this.#store(key, ttlMs, value)), survivesWaiters)
    })
  }

  #store(key: string, ttlMs: number, value: A): Effect.Effect<void> {
    return ttlMs <= 0 ? Effect.void : Effect.map(Clock.currentTimeMillis, (now) => {
      this.#cached.delete(key)
      this.#cached.set(key, { value, until: now + ttlMs })
      if (this.#cached.size <= this.#maxEntries) return
      for (const [old, { until }] of this.#cached) if (until <= now) this.#cached.delete(old)
      for (const oldest of this.#cached.keys()) {
        if (this.#cached.size <= this.#maxEntries) break
        this.#cached.delete(oldest)
      }
    })
  }

  #join(key: string, request: Effect.Effect<A, E>, survivesWaiters: boolean): Effect.Effect<A, E> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const known = this.#inFlight.get(key)
        if (known !== undefined) {
          known.waiters++
          return this.#awaitResult(key, known, restore)
        }
        const flight: InFlightRequest<A, E> = {
          done: Deferred.makeUnsafe(),
          fiber: undefined,
          waiters: 1,
          survivesWaiters
        }
        this.#inFlight.set(key, flight)
        return Effect.forkIn(restore(request), this.#scope).pipe(
          Effect.andThen((fiber) => {
            flight.fiber = fiber
            // The observer runs even if the fiber was interrupted before it began.
            fiber.addObserver((exit) => {
              this.#remove(key, flight)
              Deferred.doneUnsafe(flight.done, exit)
            })
            return this.#awaitResult(key, flight, restore)
          })
        )
      })
    )
  }

  #remove(key: string, flight: InFlightRequest<A, E>): void {
    if (this.#inFlight.get(key) === flight) this.#inFlight.delete(key)
  }

  #interrupt(key: string, flight: InFlightRequest<A, E>): void {
    this.#remove(key, flight)
    flight.fiber?.interruptUnsafe()
  }

  #awaitResult(
    key: string,
    flight: InFlightRequest<A, E>,
    restore: <B, E2, R>(effect: Effect.Effect<B, E2, R>) => Effect.Effect<B, E2, R>
  ): Effect.Effect<A, E> {
    const leave = Effect.sync(() => {
      flight.waiters--
      if (flight.waiters > 0 || (flight.survivesWaiters && !this.#isPlaceWanted())) return
      this.#interrupt(key, flight)
    })
    return Effect.ensuring(restore(Deferred.await(flight.done)), leave)
  }
}
