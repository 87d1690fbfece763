import { type MarketRead, minuteMs, type Reading } from "@tapeline/core/market"
import { Clock, Effect } from "effect"

/** A clock that goes with another one, and says other instants, or sleeps otherwise. */
export const clockOf = (
  clock: Clock.Clock,
  said: (now: number) => number,
  sleep: Clock.Clock["sleep"] = (duration) => clock.sleep(duration)
): Clock.Clock => {
  const now = () => said(clock.currentTimeMillisUnsafe())
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

/** A read as it was at an earlier instant than that of who asks. */
export const asOf = (at: (now: number) => number) => <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.Clock, (clock) => Effect.provideService(read, Clock.Clock, clockOf(clock, at)))

/** What there was at the beginning of the minute: what exchanges told of an instant is asked for after it. */
export const atMinute = asOf((now) => Math.floor(now / minuteMs) * minuteMs)

/** The same read of something that follows from its value. */
export const mapValue = <A, B>(read: MarketRead<A>, change: (value: A) => B): MarketRead<B> =>
  Effect.map(read, (found): Reading<B> => ({ ...found, value: change(found.value) }))
