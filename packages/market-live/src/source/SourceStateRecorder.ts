import type { SourceFailure } from "@tapeline/core/engine"
import type { BreakerState } from "./CircuitBreaker.ts"
import type { Fault } from "./fault.ts"
import type { SourceState } from "./SourceHealth.ts"

/** A period in which no requests are sent to a source, and the fault that started the period. */
interface Restriction {
  readonly from: number
  readonly until: number
  readonly fault: SourceState["lastFault"]
}

/**
 * The maximum backward correction of the clock that is tolerated. A clock with a larger backward correction counts as
 * set back.
 */
const clockToleranceMs = 60_000

/** Returns the restriction if it has not ended, or null. A restriction ends early if the clock was set back. */
const activeRestriction = (term: Restriction | null, now: number): Restriction | null =>
  term !== null && now < term.until && now >= term.from - clockToleranceMs ? term : null

/** Records the outcomes of a source's requests, and derives the state of the source. */
export class SourceStateRecorder {
  lastSuccessAt: number | null = null
  lastFault: SourceState["lastFault"] = null
  skewMs: number | null = null
  #successes = 0
  #failingSince: number | null = null
  #blocked: Restriction | null = null
  #limited: Restriction | null = null
  /** The time of the first firewall rejection since the last response. */
  #firewallSince: number | null = null
  readonly #faults: Record<SourceFailure, number> = zeroCounts()

  /**
   * Records a successful response, which does not end a rate limit, because the request may have been sent before the
   * limit began.
   */
  recordSuccess(now: number): void {
    this.#successes++
    this.lastSuccessAt = now
    this.#failingSince = null
    this.#firewallSince = null
  }

  blockedBy(now: number): SourceState["lastFault"] {
    return activeRestriction(this.#blocked, now)?.fault ?? null
  }

  limitedUntil(now: number): number | null {
    return activeRestriction(this.#limited, now)?.until ?? null
  }

  block(now: number, ms: number): void {
    this.#blocked = { from: now, until: now + ms, fault: this.lastFault }
  }

  /** Marks the source as rate limited for `ms` milliseconds. If two limits overlap, the later end applies. */
  limit(now: number, ms: number): void {
    const until = Math.max(now + ms, this.limitedUntil(now) ?? 0)
    this.#limited = { from: now, until, fault: this.lastFault }
  }

  /** Records a fault, and returns its classification, where persistent rejections by a firewall count as a block. */
  recordFailure(fault: Fault, now: number): Fault {
    const counted = this.#classify(fault, now)
    const { failure, reason } = counted
    this.#faults[failure]++
    this.#failingSince ??= now
    this.lastFault = { at: now, failure, reason }
    return counted
  }

  #classify(fault: Fault, now: number): Fault {
    const { blockedIfLasting, failure, retryAfterMs = 0 } = fault
    if (blockedIfLasting === undefined) {
      // Any response other than a firewall rejection proves that the firewall let the request through.
      if (failure !== "unreachable") this.#firewallSince = null
      return fault
    }
    const { afterMs, reason } = blockedIfLasting
    // If the clock was set back, the firewall period starts again.
    this.#firewallSince = Math.min(this.#firewallSince ?? now, now)
    return now + retryAfterMs - this.#firewallSince < afterMs
      ? fault
      : { failure: "blocked", reason, canRetry: false, retryAfterMs }
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
    const [blocked, limited] = [activeRestriction(this.#blocked, now), activeRestriction(this.#limited, now)]
    return {
      source,
      state: this.#stateOf(blocked, limited),
      breaker,
      lastSuccessAt: this.lastSuccessAt,
      lastFault: (blocked ?? limited)?.fault ?? this.lastFault,
      unavailableSince: this.#failingSince ?? (blocked ?? limited)?.from ?? null,
      blockedUntil: blocked?.until ?? null,
      limitedUntil: limited?.until ?? null,
      next,
      skewMs: this.skewMs,
      successes: this.#successes,
      faults: { ...this.#faults },
      waiting
    }
  }

  #stateOf(blocked: Restriction | null, limited: Restriction | null): SourceState["state"] {
    if (blocked !== null) return "blocked"
    if (limited !== null) return "limited"
    if (this.#failingSince !== null) return "failing"
    return this.lastSuccessAt === null ? "unknown" : "up"
  }
}

const zeroCounts = (): Record<SourceFailure, number> => ({
  unreachable: 0,
  rate_limited: 0,
  malformed: 0,
  not_configured: 0,
  blocked: 0,
  filling: 0
})
