import { Clock, Effect, Semaphore } from "effect"
import { type Fault, seconds } from "./fault.ts"
import type { RateLimit } from "./policies.ts"

/** Returns the weight of a request in a rate limit. */
export type CostOf = (limit: RateLimit) => number

interface SpentCost {
  readonly at: number
  readonly costs: CostOf
}

/**
 * The rate limiter of one source, which limits the weight in sliding windows and the number of concurrent requests, and
 * serves requests in order. Effect's `RateLimiter` has no sliding windows, by which exchanges count, and keeps no
 * order.
 */
export class RateLimiter {
  readonly #limits: ReadonlyArray<RateLimit>
  readonly #longestWindowMs: number
  readonly #maxWaiting: number
  readonly #queue = Semaphore.makeUnsafe(1)
  readonly #concurrency: Semaphore.Semaphore
  readonly #maxConcurrent: number
  #spent: Array<SpentCost> = []
  #waiting = 0
  #running = 0
  #waitingForPlace = 0

  constructor(limits: ReadonlyArray<RateLimit>, concurrency: number, maxWaiting: number) {
    this.#limits = limits
    this.#longestWindowMs = Math.max(0, ...limits.map(({ windowMs }) => windowMs))
    this.#maxWaiting = maxWaiting
    this.#concurrency = Semaphore.makeUnsafe(concurrency)
    this.#maxConcurrent = concurrency
  }

  get waiting(): number {
    return this.#waiting
  }

  get isFull(): boolean {
    return this.#running >= this.#maxConcurrent
  }

  /** Whether a request is waiting because too many requests are running. */
  get isPlaceWanted(): boolean {
    return this.#waitingForPlace > 0
  }

  /** Runs a request when its turn comes, or fails with `rate_limited` if too many requests are waiting. */
  run<A, E, R>(costs: CostOf, request: Effect.Effect<A, E, R>): Effect.Effect<A, E | Fault, R> {
    return Effect.suspend((): Effect.Effect<A, E | Fault, R> => {
      if (this.#waiting >= this.#maxWaiting) return this.#rejectFull(costs)
      this.#waiting++
      let isQueued = true
      const leave = () => {
        if (isQueued) this.#waiting--
        isQueued = false
      }
      const started = Effect.suspend(() => {
        leave()
        return request
      })
      // The request's weight is counted last, immediately before the request is sent.
      const turn = Effect.andThen(this.#queue.withPermit(this.#awaitRoom(costs)), started)
      return Effect.ensuring(this.#withPlace(turn), Effect.sync(leave))
    })
  }

  /**
   * Runs an effect in one of the places for concurrent requests. When the effect ends, another waiting request can run.
   */
  #withPlace<A, E, R>(turn: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      let isInside = false
      this.#waitingForPlace++
      const enter = Effect.sync(() => {
        isInside = true
        this.#waitingForPlace--
        this.#running++
      })
      const leave = Effect.sync(() => void (isInside ? this.#running-- : this.#waitingForPlace--))
      return Effect.ensuring(this.#concurrency.withPermit(Effect.andThen(enter, turn)), leave)
    })
  }

  /** Adds requests that the source counted for the IP address and that this process did not send. */
  applyReportedUsage({ name, weight, windowMs }: RateLimit, now: number): void {
    const reported = this.#limits.find((limit) => limit.name === name && limit.windowMs === windowMs)
    if (reported === undefined) return
    const more = weight - this.#spentWithin(reported, now)
    if (more > 0) this.#spent.push({ at: now, costs: (limit) => limit === reported ? more : 0 })
  }

  #spentWithin(limit: RateLimit, now: number): number {
    const from = now - limit.windowMs
    return this.#spent.reduce((sum, { at, costs }) => at > from && at <= now ? sum + costs(limit) : sum, 0)
  }

  #waitMs(costs: CostOf, now: number): number {
    return Math.max(
      0,
      ...this.#limits.map((limit) => {
        const { weight: maxWeight, windowMs } = limit
        const cost = Math.min(costs(limit), maxWeight)
        let over = this.#spentWithin(limit, now) + cost - maxWeight
        if (cost <= 0 || over <= 0) return 0
        for (const spent of this.#spent) {
          if (spent.at <= now - windowMs) continue
          over -= spent.costs(limit)
          if (over <= 0) return spent.at + windowMs - now
        }
        return windowMs
      })
    )
  }

  #awaitRoom(costs: CostOf): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // After the clock was set back, entries have future times and must not block requests.
      this.#spent = this.#spent.filter(({ at }) => at > now - this.#longestWindowMs && at <= now)
      const waitMs = this.#waitMs(costs, now)
      if (waitMs > 0) return Effect.andThen(Effect.sleep(waitMs), this.#awaitRoom(costs))
      if (this.#limits.length > 0) this.#spent.push({ at: now, costs })
      return Effect.void
    })
  }

  #rejectFull(costs: CostOf): Effect.Effect<never, Fault> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const retryAfterMs = Math.max(1_000, this.#waitMs(costs, now))
      const reason = `${this.#maxWaiting} requests are already waiting; try again in ${seconds(retryAfterMs)}`
      return Effect.fail<Fault>({ failure: "rate_limited", reason, canRetry: false, retryAfterMs })
    })
  }
}
