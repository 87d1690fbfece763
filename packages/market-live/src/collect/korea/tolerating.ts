import { minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { isLasting } from "../../source/lasting.ts"

/** The time to wait for a source that may recover. A shorter outage leaves no data out. */
const waitedMs = 10 * minuteMs

/**
 * Replaces the result of an unavailable source by null, so that other data is recorded without it. This happens
 * immediately if the failure is lasting, otherwise after `waitedMs` without an answer. Data of instants more than
 * `waitedMs` before the outage is waited for. All reads share one state; nothing is stored.
 */
export const makeTolerating = () => {
  let awaySince: number | null = null
  return <A>(read: Effect.Effect<A, SourceUnavailable>, of: number): Effect.Effect<A | null, SourceUnavailable> =>
    Effect.matchEffect(read, {
      onSuccess: (told) =>
        Effect.sync(() => {
          awaySince = null
          return told
        }),
      onFailure: (error) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          // If the clock was set back, the wait starts again.
          const since = Math.min(awaySince ?? now, now)
          awaySince = since
          const isGone = now - since >= waitedMs && of >= since - waitedMs
          return isLasting(error) || isGone ? Effect.succeed(null) : Effect.fail(error)
        })
    })
}
