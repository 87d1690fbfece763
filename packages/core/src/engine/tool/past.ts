import { Clock, Effect } from "effect"

/**
 * A clock that stands at `time`, beside one by which everything else goes on: ports of market data have the present of
 * it, and know nothing later; whoever waits, or measures how long something took, does it by the other.
 */
const standingAt = (time: number) => (clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => time,
  currentTimeMillis: Effect.succeed(time),
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})

/**
 * Answers as of an instant of the past, epoch ms: with what was known then and nothing later, since every port has its
 * present from Effect's Clock.
 */
export const asOfThen = <A, E, R>(answer: Effect.Effect<A, E, R>, time: number): Effect.Effect<A, E, R> =>
  Effect.updateService(answer, Clock.Clock, standingAt(time))

/** The instant that arguments ask for, if they do. */
export const askedAt = (args: unknown): number | undefined =>
  typeof args === "object" && args !== null && "at" in args && typeof args.at === "number" ? args.at : undefined
