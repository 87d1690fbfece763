import { mapClock } from "@tapeline/core"
import { type MarketRead, minuteMs, type Reading } from "@tapeline/core/market"
import { Clock, Effect } from "effect"

export const readAt =
  (at: (now: number) => number) => <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.updateService(read, Clock.Clock, (clock) => mapClock(clock, at))

/**
 * Runs a read as of the beginning of the minute, because exchanges are requested some time after the scheduled time.
 */
export const readAtMinute = readAt((now) => Math.floor(now / minuteMs) * minuteMs)

export const mapValue = <A, B>(read: MarketRead<A>, change: (value: A) => B): MarketRead<B> =>
  Effect.map(read, (reading): Reading<B> => ({ ...reading, value: change(reading.value) }))
