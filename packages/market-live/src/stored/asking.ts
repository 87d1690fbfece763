import { type Reading, reading, SourceUnavailable } from "@tapeline/core/market"
import type { MarketStoreRefusal } from "@tapeline/core/market/store"
import type { StoreUnavailable } from "@tapeline/core/store"
import { Effect } from "effect"

/** Whom a reading names in which nothing is told: nobody but the service's own store was asked. */
export const storeName = "store"

/** A read of the store, which fails as market data does. What it refuses is a mistake of who asks it. */
export const asked = <A>(
  read: Effect.Effect<A, MarketStoreRefusal | StoreUnavailable>
): Effect.Effect<A, SourceUnavailable> =>
  Effect.catchTags(read, {
    MarketStoreRefusal: Effect.die,
    StoreUnavailable: (error) =>
      Effect.fail(
        new SourceUnavailable({
          source: error.store,
          failure: "unreachable",
          reason: error.message,
          retryable: true
        })
      )
  })

/** Both at once. */
export const both = <A, B, E, F>(
  one: Effect.Effect<A, E>,
  other: Effect.Effect<B, F>
): Effect.Effect<readonly [A, B], E | F> => Effect.all([one, other], { concurrency: 2 })

/** Names out of those of rows, which join several. */
export const namesIn = (sources: Iterable<string>): ReadonlyArray<string> => [
  ...new Set(Array.from(new Set(sources), (source) => source.split("+")).flat())
]

/** A reading of what rows of these sources say. */
export const readingOf = <A>(value: A, sources: Iterable<string>, asOf: number): Reading<A> => {
  const names = namesIn(sources)
  return reading(value, names.length === 0 ? storeName : names, asOf)
}
