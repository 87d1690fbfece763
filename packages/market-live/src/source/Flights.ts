import { Clock, Deferred, Effect, type Fiber, type Scope } from "effect"

interface Flight<A, E> {
  readonly done: Deferred.Deferred<A, E>
  fiber: Fiber.Fiber<A, E> | undefined
  passengers: number
  readonly lingers: boolean
}

interface Kept<A> {
  readonly value: A
  readonly until: number
}

/**
 * Merges concurrent requests with the same key into one, and caches its value for `keepMs`. A caller that leaves does
 * not affect the others. When the last caller leaves, the request is interrupted. A request that lingers continues
 * then, for the next caller, until another request needs its place.
 */
export class Flights<A, E> {
  readonly #scope: Scope.Scope
  readonly #most: number
  readonly #flying = new Map<string, Flight<A, E>>()
  readonly #kept = new Map<string, Kept<A>>()

  readonly #isWanted: () => boolean

  /** `isWanted` returns whether another request waits for the place of a request without callers. */
  constructor(scope: Scope.Scope, isWanted: () => boolean = () => false, most = 512) {
    this.#scope = scope
    this.#isWanted = isWanted
    this.#most = most
  }

  /** Interrupts the first lingering request that has no callers. */
  giveWay(): void {
    for (const [key, flight] of this.#flying) {
      if (flight.passengers > 0 || !flight.lingers) continue
      return this.#withdraw(key, flight)
    }
  }

  ask(key: string, keepMs: number, question: Effect.Effect<A, E>, lingers = false): Effect.Effect<A, E> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const kept = this.#kept.get(key)
      // A clock that was set back would otherwise extend the life of a cached value.
      if (kept !== undefined && now < kept.until && kept.until - now <= keepMs) return Effect.succeed(kept.value)
      return this.#fly(key, Effect.tap(question, (value) => this.#keep(key, keepMs, value)), lingers)
    })
  }

  #keep(key: string, keepMs: number, value: A): Effect.Effect<void> {
    return keepMs <= 0 ? Effect.void : Effect.map(Clock.currentTimeMillis, (now) => {
      this.#kept.delete(key)
      this.#kept.set(key, { value, until: now + keepMs })
      if (this.#kept.size <= this.#most) return
      // Expired values are removed before values that are still valid.
      for (const [old, { until }] of this.#kept) if (until <= now) this.#kept.delete(old)
      for (const oldest of this.#kept.keys()) {
        if (this.#kept.size <= this.#most) break
        this.#kept.delete(oldest)
      }
    })
  }

  #fly(key: string, question: Effect.Effect<A, E>, lingers: boolean): Effect.Effect<A, E> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const known = this.#flying.get(key)
        if (known !== undefined) {
          known.passengers++
          return this.#wait(key, known, restore)
        }
        const flight: Flight<A, E> = { done: Deferred.makeUnsafe(), fiber: undefined, passengers: 1, lingers }
        this.#flying.set(key, flight)
        return Effect.forkIn(restore(question), this.#scope).pipe(
          Effect.andThen((fiber) => {
            flight.fiber = fiber
            // The observer runs even if the fiber was interrupted before it began.
            fiber.addObserver((exit) => {
              this.#landed(key, flight)
              Deferred.doneUnsafe(flight.done, exit)
            })
            return this.#wait(key, flight, restore)
          })
        )
      })
    )
  }

  #landed(key: string, flight: Flight<A, E>): void {
    if (this.#flying.get(key) === flight) this.#flying.delete(key)
  }

  #withdraw(key: string, flight: Flight<A, E>): void {
    this.#landed(key, flight)
    flight.fiber?.interruptUnsafe()
  }

  #wait(
    key: string,
    flight: Flight<A, E>,
    restore: <B, E2, R>(effect: Effect.Effect<B, E2, R>) => Effect.Effect<B, E2, R>
  ): Effect.Effect<A, E> {
    const leave = Effect.sync(() => {
      flight.passengers--
      if (flight.passengers > 0 || (flight.lingers && !this.#isWanted())) return
      this.#withdraw(key, flight)
    })
    return Effect.ensuring(restore(Deferred.await(flight.done)), leave)
  }
}
