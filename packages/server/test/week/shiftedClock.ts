import { type MarketRead, minuteMs, type Reading } from "@tapeline/core/market"
import { Clock, Effect } from "effect"

/** Creates a clock that follows another clock, but reports other instants or sleeps differently. */
export const makeShiftedClock = (
  clock: Clock.Clock,
  toNow: (now: number) => number,
  sleep: Clock.Clock["sleep"] = (duration) => clock.sleep(duration)
): Clock.Clock => {
  const now = () => toNow(clock.currentTimeMillisUnsafe())
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep
  }
}

export const readAt =
  (at: (now: number) => number) => <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.Clock, (clock) => Effect.provideService(read, Clock.Clock, makeShiftedClock(clock, at)))

/** Runs a read as of the beginning of the minute, because exchanges are polled after the instant that they report. */
export const readAtMinute = readAt((now) => Math.floor(now / minuteMs) * minuteMs)

export const mapValue = <A, B>(read: MarketRead<A>, change: (value: A) => B): MarketRead<B> =>
  Effect.map(read, (found): Reading<B> => ({ ...found, value: change(found.value) }))
