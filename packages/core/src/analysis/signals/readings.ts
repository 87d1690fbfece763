import { Effect } from "effect"
import type { MarketError } from "../../market/errors.ts"
import type { MarketRead, Reading } from "../../market/reading.ts"
import type { Series } from "../../market/series.ts"
import { hourMs } from "../../market/timeframe.ts"

/** Makes a reading without sources, which does not lower the combined `asOf`. */
const emptyReading = <A>(value: A): Reading<A> => ({ value, sources: [], asOf: Infinity })

const orIfNoData = <A>(read: MarketRead<A>, value: A): Effect.Effect<Reading<A>, MarketError> =>
  Effect.catchTag(read, "NoData", () => Effect.succeed(emptyReading(value)))

export const orEmptyList = <A>(read: MarketRead<ReadonlyArray<A>>) => orIfNoData<ReadonlyArray<A>>(read, [])

export const orEmptySeries = <A>(read: MarketRead<Series<A>>) => orIfNoData<Series<A>>(read, { points: [], gaps: [] })

/** Replaces the error for an unlisted coin by a reading of `value`. */
export const orIfUnlisted = <A, B>(
  read: Effect.Effect<Reading<A>, MarketError>,
  value: B
): Effect.Effect<Reading<A | B>, MarketError> =>
  Effect.catchTag(
    read,
    "UnknownSymbol",
    (): Effect.Effect<Reading<A | B>> => Effect.succeed(emptyReading<A | B>(value))
  )

/** The permitted lag of storage, in ms, within which the newest stored hour replaces the last closed hour. */
export const maxLagMs = 3 * hourMs
