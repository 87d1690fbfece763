import { Effect } from "effect"
import type { MarketError } from "../../market/errors.ts"
import type { MarketRead, Reading } from "../../market/reading.ts"
import type { Series } from "../../market/series.ts"

/** What stands in for a reading of nothing: it adds no source, and lags behind none. */
const nothing = <A>(value: A): Reading<A> => ({ value, sources: [], asOf: Infinity })

const orElse = <A>(read: MarketRead<A>, value: A): Effect.Effect<Reading<A>, MarketError> =>
  Effect.catchTag(read, "NoData", () => Effect.succeed(nothing(value)))

/** An empty list in place of `NoData`. */
export const orEmpty = <A>(read: MarketRead<ReadonlyArray<A>>) => orElse<ReadonlyArray<A>>(read, [])

/** A series without points in place of `NoData`. */
export const orNoPoints = <A>(read: MarketRead<Series<A>>) => orElse<Series<A>>(read, { points: [], gaps: [] })

/** What stands in for what is told of a coin that a market does not have. */
export const orUnlisted = <A, B>(
  read: Effect.Effect<Reading<A>, MarketError>,
  value: B
): Effect.Effect<Reading<A | B>, MarketError> =>
  Effect.catchTag(read, "UnknownSymbol", (): Effect.Effect<Reading<A | B>> => Effect.succeed(nothing<A | B>(value)))
