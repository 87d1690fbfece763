import { RateLimited } from "@tapeline/core"
import { Clock, Context, Duration, Effect } from "effect"
import type { RateLimitState } from "../requestContext.ts"

/**
 * The maximum numbers of failed sign-in attempts in one process within a time window: from one IP address, and in
 * total.
 */
export const AttemptLimits = Context.Reference<{
  readonly maxPerAddress: number
  readonly maxTotal: number
  readonly window: Duration.Input
}>("@tapeline/http/AttemptSettings", {
  defaultValue: () => ({ maxPerAddress: 10, maxTotal: 1_000, window: "5 minutes" })
})

/**
 * The decision about a sign-in attempt. An admitted attempt contains `undo`, which removes a successful attempt from
 * the count. A rejected attempt contains the time until the next attempt.
 */
export type AttemptDecision =
  | { readonly undo: () => void; readonly remaining: number; readonly resetMs: number }
  | { readonly retryAfterMs: number }

interface Window {
  readonly endsAtNs: bigint
  total: number
  readonly countsByAddress: Map<string, number>
}

const nanosPerMs = 1_000_000n

/**
 * Counts sign-in attempts within a time window, for each IP address and in total. The total limit also bounds the
 * number of stored addresses.
 */
export class AttemptLimiter {
  readonly #maxPerAddress: number
  readonly #maxTotal: number
  readonly #windowNanos: bigint
  #window: Window = { endsAtNs: 0n, total: 0, countsByAddress: new Map() }

  constructor({ maxTotal, maxPerAddress, window }: typeof AttemptLimits["Service"]) {
    this.#maxPerAddress = maxPerAddress
    this.#maxTotal = maxTotal
    this.#windowNanos = BigInt(Math.round(Duration.toMillis(window))) * nanosPerMs
  }

  /** Counts a sign-in attempt, or rejects the attempt at a limit. `now` is a monotonic time in ns. */
  countAttempt(address: string, now: bigint): AttemptDecision {
    if (now >= this.#window.endsAtNs) {
      this.#window = { endsAtNs: now + this.#windowNanos, total: 0, countsByAddress: new Map() }
    }
    const window = this.#window
    const attemptCount = window.countsByAddress.get(address) ?? 0
    const leftMs = Number((window.endsAtNs - now) / nanosPerMs)
    if (window.total >= this.#maxTotal || attemptCount >= this.#maxPerAddress) return { retryAfterMs: leftMs }
    window.total++
    window.countsByAddress.set(address, attemptCount + 1)
    return {
      remaining: this.#maxPerAddress - attemptCount - 1,
      resetMs: leftMs,
      undo: () => {
        window.total--
        const left = (window.countsByAddress.get(address) ?? 1) - 1
        if (left === 0) window.countsByAddress.delete(address)
        else window.countsByAddress.set(address, left)
      }
    }
  }

  get size(): number {
    return this.#window.countsByAddress.size
  }
}

/** The limits of a signed-in user, which each process counts separately. */
export const AccountLimits = Context.Reference<{
  /**
   * The maximum number of account requests per minute from one session. Free read requests have a separate limit with
   * the same maximum. Each session has its own limit, so that no session blocks the other sessions of an account.
   */
  readonly requestsPerMinute: number
  /**
   * The maximum number of API keys that an account can issue per day. The store keeps all keys, even revoked keys, for
   * usage reports.
   */
  readonly keysPerDay: number
}>("@tapeline/http/AccountBounds", { defaultValue: () => ({ requestsPerMinute: 120, keysPerDay: 50 }) })

/** The maximum number of events that one limiter counts within its time window. */
const maxTotal = 100_000

/** Counts the requests of each session, and fails if a session exceeds its rate limit. */
export const makeSessionRateLimiter: Effect.Effect<(session: number) => Effect.Effect<RateLimitState, RateLimited>> =
  Effect
    .map(
      AccountLimits,
      ({ requestsPerMinute: limit }) => {
        const requests = new AttemptLimiter({ maxPerAddress: limit, maxTotal, window: "1 minute" })
        return (session) =>
          Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
            const decision = requests.countAttempt(String(session), now)
            return "retryAfterMs" in decision
              ? Effect.fail(new RateLimited({ limit, resetMs: decision.retryAfterMs }))
              : Effect.succeed({ isAllowed: true, limit, remaining: decision.remaining, resetMs: decision.resetMs })
          })
      }
    )

/** Creates a limiter of the API keys that each account issues per day. */
export const makeKeyIssueLimiter = (keysPerDay: number): AttemptLimiter =>
  new AttemptLimiter({ maxPerAddress: keysPerDay, maxTotal, window: "1 day" })
