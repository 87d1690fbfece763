import type { SourceFailure } from "@tapeline/core/market"
import type { BreakerState } from "./Breaker.ts"
import type { Fault } from "./fault.ts"
import type { SourceState } from "./SourceHealth.ts"

/** What a source did, as it goes. */
export class Recorder {
  lastSuccessAt: number | null = null
  lastFault: SourceState["lastFault"] = null
  blockedUntil: number | null = null
  limitedUntil: number | null = null
  skewMs: number | null = null
  #answers = 0
  #failing = false
  readonly #faults: Record<SourceFailure, number> = countsOfNone()

  answered(now: number): void {
    this.#answers++
    this.lastSuccessAt = now
    this.#failing = false
    this.blockedUntil = null
    this.limitedUntil = null
  }

  failed({ failure, reason }: Fault, now: number): void {
    this.#faults[failure]++
    this.#failing = true
    this.lastFault = { at: now, failure, reason }
  }

  state(
    now: number,
    { breaker, next, source, waiting }: {
      readonly breaker: BreakerState
      readonly next: string | null
      readonly source: string
      readonly waiting: number
    }
  ): SourceState {
    const blockedUntil = after(this.blockedUntil, now)
    const limitedUntil = after(this.limitedUntil, now)
    return {
      source,
      state: this.#stateOf(blockedUntil, limitedUntil),
      breaker,
      lastSuccessAt: this.lastSuccessAt,
      lastFault: this.lastFault,
      blockedUntil,
      limitedUntil,
      next,
      skewMs: this.skewMs,
      answers: this.#answers,
      faults: { ...this.#faults },
      waiting
    }
  }

  #stateOf(blockedUntil: number | null, limitedUntil: number | null): SourceState["state"] {
    if (blockedUntil !== null) return "blocked"
    if (limitedUntil !== null) return "limited"
    if (this.#failing) return "failing"
    return this.lastSuccessAt === null ? "unknown" : "up"
  }
}

const after = (until: number | null, now: number): number | null => until !== null && until > now ? until : null

const countsOfNone = (): Record<SourceFailure, number> => ({
  unreachable: 0,
  rate_limited: 0,
  malformed: 0,
  not_configured: 0,
  blocked: 0
})
