import { Clock, Effect } from "effect"

/**
 * Changes the current time of a clock, in epoch ms. The clock's nanoseconds, durations and sleeps remain those of the
 * given clock.
 */
export const mapClock = (clock: Clock.Clock, change: (now: number) => number): Clock.Clock => ({
  currentTimeMillisUnsafe: () => change(clock.currentTimeMillisUnsafe()),
  currentTimeMillis: Effect.map(clock.currentTimeMillis, change),
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})

/**
 * Runs an effect as of a past time, in epoch ms. Ports use Effect's Clock as the present, so the effect reads no data
 * from after `time`.
 */
export const runAsOf = <A, E, R>(effect: Effect.Effect<A, E, R>, time: number): Effect.Effect<A, E, R> =>
  Effect.updateService(effect, Clock.Clock, (clock) => mapClock(clock, () => time))

export const atArgument = (args: unknown): number | undefined =>
  typeof args === "object" && args !== null && "at" in args && typeof args.at === "number" ? args.at : undefined
