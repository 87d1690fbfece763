import { type Fault, seconds, unreachable } from "./fault.ts"
import type { Patience } from "./settings.ts"

export type BreakerState = "closed" | "open" | "half_open"

/**
 * Leaves a source alone that failed several times in a row, so that callers hear of it at once; then lets one request
 * through, whose end decides for all.
 */
export class Breaker {
  readonly #patience: Pick<Patience, "failuresToOpen" | "longestOpenMs" | "openMs">
  #failures = 0
  #openedTimes = 0
  #openUntil: number | undefined
  #probing = false

  constructor(patience: Pick<Patience, "failuresToOpen" | "longestOpenMs" | "openMs">) {
    this.#patience = patience
  }

  state(now: number): BreakerState {
    if (this.#openUntil === undefined) return "closed"
    return this.#probing || this.#isOver(this.#openUntil, now) ? "half_open" : "open"
  }

  /** Why a request may not be sent now; it takes no turn. */
  refuses(now: number): Fault | undefined {
    const until = this.#openUntil
    if (until === undefined || (this.#isOver(until, now) && !this.#probing)) return undefined
    const retryAfterMs = Math.min(this.#patience.longestOpenMs, Math.max(1_000, until - now))
    return {
      ...unreachable(
        `it failed ${this.#failures} times in a row and is asked again in ${seconds(retryAfterMs)}`,
        false
      ),
      retryAfterMs
    }
  }

  /** Says that a request is sent now. What it gives back must be told how the request ended, just once. */
  sent(): (end: "answered" | "failed" | "left", now: number) => void {
    const isProbe = this.#openUntil !== undefined
    if (isProbe) this.#probing = true
    return (end, now) => {
      if (isProbe) this.#probing = false
      if (end === "answered") this.#close()
      // What was sent before the breaker opened says nothing about the source as it is now.
      if (end === "failed" && (isProbe || this.#openUntil === undefined)) this.#fail(isProbe, now)
    }
  }

  /** A clock that was set back would leave it alone for as long as it was. */
  #isOver(until: number, now: number): boolean {
    return now >= until || until - now > this.#patience.longestOpenMs
  }

  #close(): void {
    this.#failures = 0
    this.#openedTimes = 0
    this.#openUntil = undefined
  }

  #fail(isProbe: boolean, now: number): void {
    this.#failures++
    const { failuresToOpen, longestOpenMs, openMs } = this.#patience
    if (!isProbe && this.#failures < failuresToOpen) return
    this.#openUntil = now + Math.min(longestOpenMs, openMs * 2 ** this.#openedTimes)
    this.#openedTimes = Math.min(30, this.#openedTimes + 1)
  }
}
