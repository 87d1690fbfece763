import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"

/**
 * Null where a source will not answer here whenever it is asked, so that what others tell is collected without it. What
 * it may tell later is waited for.
 */
export const toleratingLasting = <A>(
  read: Effect.Effect<A, SourceUnavailable>
): Effect.Effect<A | null, SourceUnavailable> =>
  Effect.catchIf(
    read,
    ({ failure }) => failure === "blocked" || failure === "not_configured",
    () => Effect.succeed(null)
  )
