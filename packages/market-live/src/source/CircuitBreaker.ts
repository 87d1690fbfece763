import { type Fault, seconds, unreachable } from "./fault.ts"
import type { RetryPolicy } from "./policies.ts"

export type BreakerState = "closed" | "open" | "half_open"

/**
 * A circuit breaker, which rejects requests immediately after several consecutive failures, and then allows one request
 * after a pause as a probe. Effect's `CircuitBreaker` checks its state only when it runs a call. Here, a request is
 * also rejected before it waits for its rate limit.
 */
export class CircuitBreaker {
  readonly #policy: Pick<RetryPolicy, "failuresToOpen" | "maxOpenMs" | "openMs">
  #failures = 0
  #openCount = 0
  #openUntil: number | undefined
  #probing = false

  constructor(policy: Pick<RetryPolicy, "failuresToOpen" | "maxOpenMs" | "openMs">) {
    this.#policy = policy
  }

  state(now: number): BreakerState {
    if (this.#openUntil === undefined) return "closed"
    return this.#probing || this.#isOver(this.#openUntil, now) ? "half_open" : "open"
  }

  /**
   * Returns the reason why no request may be sent now, or undefined if a request may be sent. Calling `whyRejected`
   * does not count as the probe request.
   */
  whyRejected(now: number): Fault | undefined {
    const until = this.#openUntil
    if (until === undefined || (this.#isOver(until, now) && !this.#probing)) return undefined
    const retryAfterMs = Math.min(this.#policy.maxOpenMs, Math.max(1_000, until - now))
    return {
      ...unreachable(
        `${this.#failures} consecutive failures; next attempt in ${seconds(retryAfterMs)}`,
        false
      ),
      retryAfterMs
    }
  }

  /**
   * Records that a request is sent. The caller must call the returned function exactly once, with the outcome of the
   * request.
   */
  onSent(): (outcome: "answered" | "failed" | "left", now: number) => void {
    const isProbe = this.#openUntil !== undefined
    if (isProbe) this.#probing = true
    return (end, now) => {
      if (isProbe) this.#probing = false
      if (end === "answered") this.#close()
      // A request that was sent before the breaker opened is no evidence of the source's current state.
      if (end === "failed" && (isProbe || this.#openUntil === undefined)) this.#fail(isProbe, now)
    }
  }

  /**
   * Returns whether the breaker's open period has ended. If the clock was set back, the breaker's open period ends
   * immediately.
   */
  #isOver(until: number, now: number): boolean {
    return now >= until || until - now > this.#policy.maxOpenMs
  }

  #close(): void {
    this.#failures = 0
    this.#openCount = 0
    this.#openUntil = undefined
  }

  #fail(isProbe: boolean, now: number): void {
    this.#failures++
    const { failuresToOpen, maxOpenMs, openMs } = this.#policy
    if (!isProbe && this.#failures < failuresToOpen) return
    this.#openUntil = now + Math.min(maxOpenMs, openMs * 2 ** this.#openCount)
    this.#openCount = Math.min(30, this.#openCount + 1)
  }
}
