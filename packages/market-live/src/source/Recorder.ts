import type { SourceFailure } from "@tapeline/core/engine"
import type { BreakerState } from "./Breaker.ts"
import type { Fault } from "./fault.ts"
import type { SourceState } from "./SourceHealth.ts"

/** A period in which a source gets no requests, and the fault that started it. */
interface Term {
  readonly from: number
  readonly until: number
  readonly fault: SourceState["lastFault"]
}

/** Clock corrections of up to this size do not count as a clock that was set back. */
const adjustedMs = 60_000

/** Returns the term if it is still running. A clock that was set back would otherwise extend it. */
const running = (term: Term | null, now: number): Term | null =>
  term !== null && now < term.until && now >= term.from - adjustedMs ? term : null

/** Records the outcomes of a source's requests, and derives its state. */
export class Recorder {
  lastSuccessAt: number | null = null
  lastFault: SourceState["lastFault"] = null
  skewMs: number | null = null
  #answers = 0
  #failingSince: number | null = null
  #blocked: Term | null = null
  #limited: Term | null = null
  /** The time of the first firewall rejection since the last response. */
  #refusedSince: number | null = null
  readonly #faults: Record<SourceFailure, number> = countsOfNone()

  /**
   * Records a response. It does not end a rate limit, because the request may have been sent before the limit began.
   */
  answered(now: number): void {
    this.#answers++
    this.lastSuccessAt = now
    this.#failingSince = null
    this.#refusedSince = null
  }

  /**
   * The fault that blocked the source, while the block lasts. Requests that were sent before may fail with other faults
   * later.
   */
  blockedBy(now: number): SourceState["lastFault"] {
    return running(this.#blocked, now)?.fault ?? null
  }

  limitedUntil(now: number): number | null {
    return running(this.#limited, now)?.until ?? null
  }

  /** Blocks the source for `ms`, because of the last recorded fault. */
  block(now: number, ms: number): void {
    this.#blocked = { from: now, until: now + ms, fault: this.lastFault }
  }

  /** Limits the source for `ms`. The longer of two limits applies. */
  limit(now: number, ms: number): void {
    const until = Math.max(now + ms, this.limitedUntil(now) ?? 0)
    this.#limited = { from: now, until, fault: this.lastFault }
  }

  /** Records a fault, and returns it as it counts: a firewall that keeps rejecting requests counts as a block. */
  failed(fault: Fault, now: number): Fault {
    const counted = this.#counted(fault, now)
    const { failure, reason } = counted
    this.#faults[failure]++
    this.#failingSince ??= now
    this.lastFault = { at: now, failure, reason }
    return counted
  }

  #counted(fault: Fault, now: number): Fault {
    const { blockedIfLasting, failure, retryAfterMs = 0 } = fault
    if (blockedIfLasting === undefined) {
      // Any other response came through the firewall.
      if (failure !== "unreachable") this.#refusedSince = null
      return fault
    }
    const { afterMs, reason } = blockedIfLasting
    // If the clock was set back, the period starts again.
    this.#refusedSince = Math.min(this.#refusedSince ?? now, now)
    return now + retryAfterMs - this.#refusedSince < afterMs
      ? fault
      : { failure: "blocked", reason, again: false, retryAfterMs }
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
    const [blocked, limited] = [running(this.#blocked, now), running(this.#limited, now)]
    return {
      source,
      state: this.#stateOf(blocked, limited),
      breaker,
      lastSuccessAt: this.lastSuccessAt,
      lastFault: (blocked ?? limited)?.fault ?? this.lastFault,
      awaySince: this.#failingSince ?? (blocked ?? limited)?.from ?? null,
      blockedUntil: blocked?.until ?? null,
      limitedUntil: limited?.until ?? null,
      next,
      skewMs: this.skewMs,
      answers: this.#answers,
      faults: { ...this.#faults },
      waiting
    }
  }

  #stateOf(blocked: Term | null, limited: Term | null): SourceState["state"] {
    if (blocked !== null) return "blocked"
    if (limited !== null) return "limited"
    if (this.#failingSince !== null) return "failing"
    return this.lastSuccessAt === null ? "unknown" : "up"
  }
}

const countsOfNone = (): Record<SourceFailure, number> => ({
  unreachable: 0,
  rate_limited: 0,
  malformed: 0,
  not_configured: 0,
  blocked: 0,
  filling: 0
})
