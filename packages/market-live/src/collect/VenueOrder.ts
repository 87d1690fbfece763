import { hourMs, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect, Result } from "effect"
import { isLasting } from "../source/lasting.ts"

export interface OrderPatience {
  /** A venue that has failed for this long is broken, and the next venue replaces it. */
  readonly brokenMs: number
  /** The minimum time for which a replacement keeps a series. After it, the venues before it are tried again. */
  readonly stretchMs: number
}

const defaultPatience: OrderPatience = { brokenMs: 10 * minuteMs, stretchMs: hourMs }

interface Failing {
  readonly failingSince: number | null
  readonly failedAt: number
}

interface Duty extends Failing {
  readonly at: number
  readonly since: number
}

/**
 * Venues that provide the same data, the preferred one first. One venue is on duty for each series, so that a
 * stretch of the series has one source:
 *
 * - A venue that is blocked here is skipped immediately. A venue that fails otherwise is skipped after `brokenMs`
 *   without an answer, for this series or for any other. A venue that was given up for one series is therefore not
 *   waited for again for the next.
 * - The venue that answers then keeps the series for at least `stretchMs`, even if an earlier venue recovers.
 * - After that, each request tries the earlier venues first, and the first that answers gets the series.
 *
 * A venue loses a series before that only if it is blocked or broken itself. The venues after it are tried then. Stored
 * data is not changed. The order is not stored: a new process begins with the first venue.
 */
export class VenueOrder<V> {
  readonly venues: readonly [V, ...ReadonlyArray<V>]
  readonly #patience: OrderPatience
  readonly #duties = new Map<string, Duty>()
  /** Venues that fail, whatever the request. */
  readonly #silent = new Map<V, Failing>()

  constructor(venues: readonly [V, ...ReadonlyArray<V>], patience: Partial<OrderPatience> = {}) {
    this.venues = venues
    this.#patience = { ...defaultPatience, ...patience }
  }

  /**
   * Sends a request for a series, or a part of it, to the venue on duty. If a venue returns null because it has no such
   * series, the next one is tried. If no venue answers, it fails with the first error. Returns null if no venue
   * has the series.
   */
  ask<A>(
    series: string,
    question: (venue: V) => Effect.Effect<A | null, SourceUnavailable>
  ): Effect.Effect<{ readonly venue: V; readonly value: A } | null, SourceUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const now = yield* Clock.currentTimeMillis
      const duty = this.#duties.get(series) ?? { at: 0, since: now, failingSince: null, failedAt: now }
      const isOver = duty.at > 0 && now - duty.since >= this.#patience.stretchMs
      let fault: SourceUnavailable | undefined
      let known = isOver ? { ...duty, since: now } : duty
      for (let i = isOver ? 0 : duty.at; i < this.venues.length; i++) {
        const venue = this.venues[i]!
        const asked = yield* Effect.result(question(venue))
        if (Result.isSuccess(asked)) {
          this.#silent.delete(venue)
          if (asked.success === null) continue
          const isSame = i === duty.at
          this.#duties.set(series, { ...known, at: i, since: isSame ? known.since : now, failingSince: null })
          return { venue, value: asked.success }
        }
        fault ??= asked.failure
        const silent = this.#failing(this.#silent.get(venue) ?? { failingSince: null, failedAt: now }, now)
        this.#silent.set(venue, silent)
        if (i !== duty.at) continue
        known = this.#failing(known, now)
        const isGone = this.#isBroken(known, now) || this.#isBroken(silent, now)
        if (!isGone && !isLasting(asked.failure)) break
      }
      this.#duties.set(series, known)
      return fault === undefined ? null : yield* fault
    })
  }

  /** Failures that are far apart are not one outage. */
  #failing<F extends Failing>(one: F, now: number): F {
    const goesOn = one.failingSince !== null && now - one.failedAt < 2 * this.#patience.brokenMs
    return { ...one, failingSince: goesOn ? one.failingSince : now, failedAt: now }
  }

  #isBroken({ failingSince }: Failing, now: number): boolean {
    return failingSince !== null && now - failingSince >= this.#patience.brokenMs
  }
}
