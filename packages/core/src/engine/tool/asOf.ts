import { Clock, Effect } from "effect"

/** Creates a clock whose current time is fixed at `time`, but which sleeps and measures durations in real time. */
const clockFixedAt = (time: number) => (clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => time,
  currentTimeMillis: Effect.succeed(time),
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})

/**
 * Runs an effect as of a past time, in epoch ms. Ports read the current time from Effect's Clock, so the result uses
 * only data that was known at the past time.
 */
export const runAsOf = <A, E, R>(effect: Effect.Effect<A, E, R>, time: number): Effect.Effect<A, E, R> =>
  Effect.updateService(effect, Clock.Clock, clockFixedAt(time))

export const atArgument = (args: unknown): number | undefined =>
  typeof args === "object" && args !== null && "at" in args && typeof args.at === "number" ? args.at : undefined
