import { hourMs, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect, Result } from "effect"
import { isLasting } from "../source/lasting.ts"

export interface OrderPatience {
  /** A venue that answered nothing for so long is broken, and the next one takes its place. */
  readonly brokenMs: number
  /** Who took a series over has it for so long at least; then those before it are asked again. */
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
 * Venues that tell the same, the one that is preferred first. Of each series one of them is on duty, so that a stretch
 * of it has one source:
 *
 * - whoever is blocked here is passed over at once; who fails otherwise, when nothing was answered for `brokenMs`, of
 *   the series or of any: who was given up for one is not waited for as long for the next one;
 * - the venue that answers then has the series for `stretchMs` at least, however soon the one before it heals;
 * - after that those before it are asked again, with each question first, and the first that answers has it.
 *
 * Who has a series loses it before that only by being blocked or broken itself: then those behind it are asked. What
 * was told stays as it was. Nothing of this is stored: a process that begins asks the first one.
 */
export class VenueOrder<V> {
  readonly venues: readonly [V, ...ReadonlyArray<V>]
  readonly #patience: OrderPatience
  readonly #duties = new Map<string, Duty>()
  /** Venues that answer nothing, whatever they are asked for. */
  readonly #silent = new Map<V, Failing>()

  constructor(venues: readonly [V, ...ReadonlyArray<V>], patience: Partial<OrderPatience> = {}) {
    this.venues = venues
    this.#patience = { ...defaultPatience, ...patience }
  }

  /**
   * Asks for a series, or a part of it, the venue that is on duty. Null stands for a venue that has no such series:
   * the next one is asked. Where none answers, it fails as the first that was asked; null where none has it.
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

  /** Faults that lie far apart are none that last. */
  #failing<F extends Failing>(one: F, now: number): F {
    const goesOn = one.failingSince !== null && now - one.failedAt < 2 * this.#patience.brokenMs
    return { ...one, failingSince: goesOn ? one.failingSince : now, failedAt: now }
  }

  #isBroken({ failingSince }: Failing, now: number): boolean {
    return failingSince !== null && now - failingSince >= this.#patience.brokenMs
  }
}
