import { Clock, Effect, Semaphore } from "effect"
import { type Fault, seconds } from "./fault.ts"
import type { RateLimit } from "./settings.ts"

/** The weight of a request in each rate limit. */
export type Costs = (limit: RateLimit) => number

interface Spent {
  readonly at: number
  readonly costs: Costs
}

/**
 * Rate limiter of one source. It keeps the weight within every window, bounds concurrency, and serves requests in their
 * order. It rejects a request if too many wait already. The windows slide, so they also hold for the source's own
 * windows, which may begin at any time.
 */
export class Gate {
  readonly #limits: ReadonlyArray<RateLimit>
  readonly #longestWindowMs: number
  readonly #mostWaiting: number
  readonly #line = Semaphore.makeUnsafe(1)
  readonly #atOnce: Semaphore.Semaphore
  readonly #places: number
  #spent: Array<Spent> = []
  #waiting = 0
  #inside = 0
  #outside = 0

  constructor(limits: ReadonlyArray<RateLimit>, concurrency: number, mostWaiting: number) {
    this.#limits = limits
    this.#longestWindowMs = Math.max(0, ...limits.map(({ windowMs }) => windowMs))
    this.#mostWaiting = mostWaiting
    this.#atOnce = Semaphore.makeUnsafe(concurrency)
    this.#places = concurrency
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Whether all concurrent places are taken. */
  get isFull(): boolean {
    return this.#inside >= this.#places
  }

  /** Whether a request waits for a place. */
  get isWanted(): boolean {
    return this.#outside > 0
  }

  /** Runs a request when it is its turn. Fails with `rate_limited` if too many requests wait already. */
  pass<A, E, R>(costs: Costs, request: Effect.Effect<A, E, R>): Effect.Effect<A, E | Fault, R> {
    return Effect.suspend((): Effect.Effect<A, E | Fault, R> => {
      if (this.#waiting >= this.#mostWaiting) return this.#full(costs)
      this.#waiting++
      let inLine = true
      const leave = () => {
        if (inLine) this.#waiting--
        inLine = false
      }
      const started = Effect.suspend(() => {
        leave()
        return request
      })
      // The weight is spent immediately before the request is sent: after it, the request waits for nothing else.
      const turn = Effect.andThen(this.#line.withPermit(this.#room(costs)), started)
      return Effect.ensuring(this.#placed(turn), Effect.sync(leave))
    })
  }

  /** Runs an effect in one of the concurrent places, and always frees the place. */
  #placed<A, E, R>(turn: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      let isInside = false
      this.#outside++
      const enter = Effect.sync(() => {
        isInside = true
        this.#outside--
        this.#inside++
      })
      const leave = Effect.sync(() => void (isInside ? this.#inside-- : this.#outside--))
      return Effect.ensuring(this.#atOnce.withPermit(Effect.andThen(enter, turn)), leave)
    })
  }

  /** Applies the usage that the source reports for this address. Usage above our own count is added to it. */
  told({ name, weight, windowMs }: RateLimit, now: number): void {
    const told = this.#limits.find((limit) => limit.name === name && limit.windowMs === windowMs)
    if (told === undefined) return
    const more = weight - this.#within(told, now)
    if (more > 0) this.#spent.push({ at: now, costs: (limit) => limit === told ? more : 0 })
  }

  #within(limit: RateLimit, now: number): number {
    const from = now - limit.windowMs
    return this.#spent.reduce((sum, { at, costs }) => at > from && at <= now ? sum + costs(limit) : sum, 0)
  }

  /** Milliseconds until the request fits into every window. */
  #waitMs(costs: Costs, now: number): number {
    return Math.max(
      0,
      ...this.#limits.map((limit) => {
        const { weight: most, windowMs } = limit
        const cost = Math.min(costs(limit), most)
        let over = this.#within(limit, now) + cost - most
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

  #room(costs: Costs): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // Entries in the future appear when the clock was set back. They must not hold requests for ever.
      this.#spent = this.#spent.filter(({ at }) => at > now - this.#longestWindowMs && at <= now)
      const waitMs = this.#waitMs(costs, now)
      if (waitMs > 0) return Effect.andThen(Effect.sleep(waitMs), this.#room(costs))
      if (this.#limits.length > 0) this.#spent.push({ at: now, costs })
      return Effect.void
    })
  }

  #full(costs: Costs): Effect.Effect<never, Fault> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const retryAfterMs = Math.max(1_000, this.#waitMs(costs, now))
      const reason = `${this.#mostWaiting} requests wait for it already; ask again in ${seconds(retryAfterMs)}`
      return Effect.fail<Fault>({ failure: "rate_limited", reason, again: false, retryAfterMs })
    })
  }
}
