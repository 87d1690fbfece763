import type { SourceFailure } from "@tapeline/core/market"
import type { BreakerState } from "./Breaker.ts"
import type { Fault } from "./fault.ts"
import type { SourceState } from "./SourceHealth.ts"

/** From when until when a source is left alone. */
interface Term {
  readonly from: number
  readonly until: number
}

/** Clocks are put right by as much without being set back. */
const adjustedMs = 60_000

/** The end of what still runs: a clock that was set back would keep it for as long as it was. */
const endOf = (term: Term | null, now: number): number | null =>
  term !== null && now < term.until && now >= term.from - adjustedMs ? term.until : null

/** What a source did, as it goes. */
export class Recorder {
  lastSuccessAt: number | null = null
  lastFault: SourceState["lastFault"] = null
  skewMs: number | null = null
  #answers = 0
  #failing = false
  #blocked: Term | null = null
  #limited: Term | null = null
  readonly #faults: Record<SourceFailure, number> = countsOfNone()

  /** It may be an answer to what was asked before the source wanted to be left alone: that runs on. */
  answered(now: number): void {
    this.#answers++
    this.lastSuccessAt = now
    this.#failing = false
  }

  blockedUntil(now: number): number | null {
    return endOf(this.#blocked, now)
  }

  limitedUntil(now: number): number | null {
    return endOf(this.#limited, now)
  }

  block(now: number, ms: number): void {
    this.#blocked = { from: now, until: now + ms }
  }

  /** Of two wishes to be left alone the longer one holds. */
  limit(now: number, ms: number): void {
    const until = Math.max(now + ms, this.limitedUntil(now) ?? 0)
    this.#limited = { from: now, until }
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
    const [blockedUntil, limitedUntil] = [this.blockedUntil(now), this.limitedUntil(now)]
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

const countsOfNone = (): Record<SourceFailure, number> => ({
  unreachable: 0,
  rate_limited: 0,
  malformed: 0,
  not_configured: 0,
  blocked: 0
})
