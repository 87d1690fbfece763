import { Effect } from "effect"
import type { MarketError } from "../../market/errors.ts"
import type { MarketRead, Reading } from "../../market/reading.ts"
import type { Series } from "../../market/series.ts"
import { hourMs } from "../../market/timeframe.ts"

/**
 * Creates a reading without sources and with an infinite `asOf`. An infinite `asOf` has no effect when readings are
 * combined.
 */
const emptyReading = <A>(value: A): Reading<A> => ({ value, sources: [], asOf: Infinity })

const orIfNoData = <A>(read: MarketRead<A>, value: A): Effect.Effect<Reading<A>, MarketError> =>
  Effect.catchTag(read, "NoData", () => Effect.succeed(emptyReading(value)))

export const orEmptyList = <A>(read: MarketRead<ReadonlyArray<A>>) => orIfNoData<ReadonlyArray<A>>(read, [])

export const orEmptySeries = <A>(read: MarketRead<Series<A>>) => orIfNoData<Series<A>>(read, { points: [], gaps: [] })

/** Returns a reading of `value` if the coin is not listed. */
export const orIfUnlisted = <A, B>(
  read: Effect.Effect<Reading<A>, MarketError>,
  value: B
): Effect.Effect<Reading<A | B>, MarketError> =>
  Effect.catchTag(
    read,
    "UnknownSymbol",
    (): Effect.Effect<Reading<A | B>> => Effect.succeed(emptyReading<A | B>(value))
  )

/**
 * The lag of recorded data from which current values are unavailable, in ms. If the recorded data lag by less, current
 * values are those of the newest recorded hour.
 */
export const maxLagMs = 3 * hourMs
