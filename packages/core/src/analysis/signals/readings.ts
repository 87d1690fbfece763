import { Effect } from "effect"
import type { MarketError } from "../../market/errors.ts"
import type { MarketRead, Reading } from "../../market/reading.ts"
import type { Series } from "../../market/series.ts"

/** An empty reading. It adds no source and does not lower the combined `asOf`. */
const nothing = <A>(value: A): Reading<A> => ({ value, sources: [], asOf: Infinity })

const orElse = <A>(read: MarketRead<A>, value: A): Effect.Effect<Reading<A>, MarketError> =>
  Effect.catchTag(read, "NoData", () => Effect.succeed(nothing(value)))

/** Replaces `NoData` by an empty list. */
export const orEmpty = <A>(read: MarketRead<ReadonlyArray<A>>) => orElse<ReadonlyArray<A>>(read, [])

/** Replaces `NoData` by a series without points. */
export const orNoPoints = <A>(read: MarketRead<Series<A>>) => orElse<Series<A>>(read, { points: [], gaps: [] })

/** Replaces the error for an unlisted coin by a reading of `value`. */
export const orUnlisted = <A, B>(
  read: Effect.Effect<Reading<A>, MarketError>,
  value: B
): Effect.Effect<Reading<A | B>, MarketError> =>
  Effect.catchTag(read, "UnknownSymbol", (): Effect.Effect<Reading<A | B>> => Effect.succeed(nothing<A | B>(value)))
