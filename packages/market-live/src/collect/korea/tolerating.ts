import { minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { isLasting } from "../../source/lasting.ts"

/** So long is waited for what may be told later: a shorter absence leaves nothing out in the end. */
const waitedMs = 10 * minuteMs

/**
 * Null in place of what a source does not tell, so that what others tell is recorded without it: at once where it will
 * not answer here whenever it is asked, else once nothing was answered for a while. What is of before that time is
 * waited for. One for all reads that fail together; nothing of it is stored.
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
          // A clock that was set back begins anew.
          const since = Math.min(awaySince ?? now, now)
          awaySince = since
          const isGone = now - since >= waitedMs && of >= since - waitedMs
          return isLasting(error) || isGone ? Effect.succeed(null) : Effect.fail(error)
        })
    })
}
