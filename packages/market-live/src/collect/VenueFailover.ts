import { hourMs, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect, Result } from "effect"
import { isLasting } from "../source/failover.ts"

export interface FailoverPolicy {
  /** The time after which a failing venue counts as broken and is replaced by the next venue. */
  readonly brokenAfterMs: number
  /** The minimum time for which a replacement venue keeps a series. */
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
 * Chooses one active venue per series among venues that provide the same data, in order of preference:
 *
 * - If the active venue blocks the server's location, the next venue is requested immediately. If the active venue
 *   fails for another reason, the next venue is requested after `brokenAfterMs` without a response.
 * - A replacement venue provides the series for at least `minReplacementMs`, even if a preferred venue recovers
 *   earlier.
 * - After `minReplacementMs`, all venues are requested in order of preference, until a venue responds and becomes the
 *   active venue.
 *
 * The active venues are not stored, so a new process begins with the first venue.
 */
export class VenueFailover<V> {
  readonly venues: readonly [V, ...ReadonlyArray<V>]
  readonly #policy: FailoverPolicy
  readonly #activeVenues = new Map<string, ActiveVenue>()
  /** The venues whose newest request failed, regardless of the requested series. */
  readonly #failingVenues = new Map<V, FailureState>()

  constructor(venues: readonly [V, ...ReadonlyArray<V>], policy: Partial<FailoverPolicy> = {}) {
    this.venues = venues
    this.#policy = { ...defaultFailoverPolicy, ...policy }
  }

  /**
   * Sends a request for a series to the active venue, and to the next venues if the venue fails or returns null. If no
   * venue returns data, fails with the first error, or returns null if there was no error.
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

  /** Updates the start of an outage; failures that are far apart are separate outages. */
  #recordFailure<F extends FailureState>(state: F, now: number): F {
    const isSameOutage = state.failingSince !== null && now - state.failedAt < 2 * this.#policy.brokenAfterMs
    return { ...state, failingSince: isSameOutage ? state.failingSince : now, failedAt: now }
  }

  #isBroken({ failingSince }: FailureState, now: number): boolean {
    return failingSince !== null && now - failingSince >= this.#policy.brokenAfterMs
  }
}
