import { hourMs, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect, Result } from "effect"
import { isLasting } from "../source/failover.ts"

export interface FailoverPolicy {
  /** A venue that has failed for this long is broken, and the next venue replaces it. */
  readonly brokenAfterMs: number
  /** The minimum time for which a replacement keeps a series. After it, the venues before it are tried again. */
  readonly minReplacementMs: number
}

const defaultFailoverPolicy: FailoverPolicy = { brokenAfterMs: 10 * minuteMs, minReplacementMs: hourMs }

interface FailureState {
  readonly failingSince: number | null
  readonly failedAt: number
}

interface ActiveVenue extends FailureState {
  readonly index: number
  readonly since: number
}

/**
 * Venues that provide the same data, the preferred one first. One venue is on duty for each series, so that a
 * stretch of the series has one source:
 *
 * - A venue that is blocked here is skipped immediately. A venue that fails otherwise is skipped after `brokenAfterMs`
 *   without an answer, for this series or for any other. A venue that was given up for one series is therefore not
 *   waited for again for the next.
 * - The venue that answers then keeps the series for at least `minReplacementMs`, even if an earlier venue recovers.
 * - After that, each request tries the earlier venues first, and the first that answers gets the series.
 *
 * A venue loses a series before that only if it is blocked or broken itself. The venues after it are tried then. Stored
 * data is not changed. The order is not stored: a new process begins with the first venue.
 */
export class VenueFailover<V> {
  readonly venues: readonly [V, ...ReadonlyArray<V>]
  readonly #policy: FailoverPolicy
  readonly #activeVenues = new Map<string, ActiveVenue>()
  /** Venues that fail, whatever the request. */
  readonly #failingVenues = new Map<V, FailureState>()

  constructor(venues: readonly [V, ...ReadonlyArray<V>], policy: Partial<FailoverPolicy> = {}) {
    this.venues = venues
    this.#policy = { ...defaultFailoverPolicy, ...policy }
  }

  /**
   * Sends a request for a series, or a part of it, to the venue on duty. If a venue returns null because it has no such
   * series, the next one is tried. If no venue answers, it fails with the first error. Returns null if no venue
   * has the series.
   */
  request<A>(
    series: string,
    fetchFrom: (venue: V) => Effect.Effect<A | null, SourceUnavailable>
  ): Effect.Effect<{ readonly venue: V; readonly value: A } | null, SourceUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const now = yield* Clock.currentTimeMillis
      const active = this.#activeVenues.get(series) ?? { index: 0, since: now, failingSince: null, failedAt: now }
      const isPreferredDue = active.index > 0 && now - active.since >= this.#policy.minReplacementMs
      let fault: SourceUnavailable | undefined
      let current = isPreferredDue ? { ...active, since: now } : active
      for (let i = isPreferredDue ? 0 : active.index; i < this.venues.length; i++) {
        const venue = this.venues[i]!
        const result = yield* Effect.result(fetchFrom(venue))
        if (Result.isSuccess(result)) {
          this.#failingVenues.delete(venue)
          if (result.success === null) continue
          const isSame = i === active.index
          this.#activeVenues.set(series, {
            ...current,
            index: i,
            since: isSame ? current.since : now,
            failingSince: null
          })
          return { venue, value: result.success }
        }
        fault ??= result.failure
        const venueFailures = this.#recordFailure(
          this.#failingVenues.get(venue) ?? { failingSince: null, failedAt: now },
          now
        )
        this.#failingVenues.set(venue, venueFailures)
        if (i !== active.index) continue
        current = this.#recordFailure(current, now)
        const isUnavailable = this.#isBroken(current, now) || this.#isBroken(venueFailures, now)
        if (!isUnavailable && !isLasting(result.failure)) break
      }
      this.#activeVenues.set(series, current)
      return fault === undefined ? null : yield* fault
    })
  }

  /** Failures that are far apart are not one outage. */
  #recordFailure<F extends FailureState>(state: F, now: number): F {
    const isSameOutage = state.failingSince !== null && now - state.failedAt < 2 * this.#policy.brokenAfterMs
    return { ...state, failingSince: isSameOutage ? state.failingSince : now, failedAt: now }
  }

  #isBroken({ failingSince }: FailureState, now: number): boolean {
    return failingSince !== null && now - failingSince >= this.#policy.brokenAfterMs
  }
}
