import { Clock, Effect, Semaphore } from "effect"
import { type Fault, seconds } from "./fault.ts"
import type { RateLimit } from "./settings.ts"

interface Spent {
  readonly at: number
  readonly weight: number
}

/**
 * The turn of each request: never more weight within any window than a source allows, so many at a time, first come
 * first served, and never more waiting than a bound. A source's own windows may begin at any instant: what a sliding
 * window holds holds in each of them.
 */
export class Gate {
  readonly #limits: ReadonlyArray<RateLimit>
  readonly #longestWindowMs: number
  readonly #mostWaiting: number
  readonly #line = Semaphore.makeUnsafe(1)
  readonly #atOnce: Semaphore.Semaphore
  #spent: Array<Spent> = []
  #waiting = 0

  constructor(limits: ReadonlyArray<RateLimit>, concurrency: number, mostWaiting: number) {
    this.#limits = limits
    this.#longestWindowMs = Math.max(0, ...limits.map(({ windowMs }) => windowMs))
    this.#mostWaiting = mostWaiting
    this.#atOnce = Semaphore.makeUnsafe(concurrency)
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Runs a request when it is its turn, unless too many wait already. */
  pass<A, E, R>(cost: number, request: Effect.Effect<A, E, R>): Effect.Effect<A, E | Fault, R> {
    return Effect.suspend((): Effect.Effect<A, E | Fault, R> => {
      if (this.#waiting >= this.#mostWaiting) return this.#full(cost)
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
      // Weight is spent when the request is sent: who has it does not wait for anything else any more.
      const turn = Effect.andThen(this.#line.withPermit(this.#room(cost)), started)
      return Effect.ensuring(this.#atOnce.withPermit(turn), Effect.sync(leave))
    })
  }

  /** What the source says was used of a window by everyone behind our address: what is more than ours counts too. */
  told(used: number, windowMs: number, now: number): void {
    const more = used - this.#within(windowMs, now)
    if (more > 0) this.#spent.push({ at: now, weight: more })
  }

  #within(windowMs: number, now: number): number {
    return this.#spent.reduce((sum, { at, weight }) => at > now - windowMs && at <= now ? sum + weight : sum, 0)
  }

  /** How long until `cost` fits into every window. */
  #waitMs(cost: number, now: number): number {
    return Math.max(
      0,
      ...this.#limits.map(({ weight: most, windowMs }) => {
        let over = this.#within(windowMs, now) + Math.min(cost, most) - most
        for (const { at, weight } of this.#spent) {
          if (over <= 0) break
          if (at <= now - windowMs) continue
          over -= weight
          if (over <= 0) return at + windowMs - now
        }
        return over > 0 ? windowMs : 0
      })
    )
  }

  #room(cost: number): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // A clock that was set back must not hold requests that were counted "later" for ever.
      this.#spent = this.#spent.filter(({ at }) => at > now - this.#longestWindowMs && at <= now)
      const waitMs = this.#waitMs(cost, now)
      if (waitMs > 0) return Effect.andThen(Effect.sleep(waitMs), this.#room(cost))
      if (this.#limits.length > 0) this.#spent.push({ at: now, weight: cost })
      return Effect.void
    })
  }

  #full(cost: number): Effect.Effect<never, Fault> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const retryAfterMs = Math.max(1_000, this.#waitMs(cost, now))
      const reason = `${this.#mostWaiting} requests wait for it already; ask again in ${seconds(retryAfterMs)}`
      return Effect.fail<Fault>({ failure: "rate_limited", reason, again: false, retryAfterMs })
    })
  }
}
