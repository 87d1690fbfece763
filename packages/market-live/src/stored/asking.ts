import type { StoreUnavailable } from "@tapeline/core/engine"
import { type Reading, reading, SourceUnavailable } from "@tapeline/core/market"
import type { MarketStoreRefusal } from "@tapeline/core/market/store"
import { Effect } from "effect"

/** Whom a reading names in which nothing is told: nobody but the service's own store was asked. */
export const storeName = "store"

/** More is there than one read tells: that is no mistake of who asks for what was asked of him. */
const tooMuch = (error: MarketStoreRefusal): SourceUnavailable =>
  new SourceUnavailable({
    source: storeName,
    failure: "unreachable",
    reason: error.message,
    retryable: false,
    needs: { key: "source_missing_room" }
  })

/** A read of the store, which fails as market data does. What else it refuses is a mistake of who asks it. */
export const asked = <A>(
  read: Effect.Effect<A, MarketStoreRefusal | StoreUnavailable>
): Effect.Effect<A, SourceUnavailable> =>
  Effect.catchTags(read, {
    MarketStoreRefusal: (error) => error.isTooMuch === true ? Effect.fail(tooMuch(error)) : Effect.die(error),
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
