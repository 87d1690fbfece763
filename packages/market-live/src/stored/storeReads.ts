import type { StoreUnavailable } from "@tapeline/core/engine"
import { makeReading, type Reading, SourceUnavailable } from "@tapeline/core/market"
import type { MarketStoreRefusal } from "@tapeline/core/market/store"
import { Effect } from "effect"

/** The source name of a reading without data, for which only the market store was read. */
export const storeName = "store"

/**
 * Returns the error for a read whose result is too large, which is no defect, because the caller's arguments are valid.
 */
const resultTooLarge = (error: MarketStoreRefusal): SourceUnavailable =>
  new SourceUnavailable({
    source: storeName,
    failure: "unreachable",
    reason: error.message,
    retryable: false,
    needs: { key: "source_missing_room" }
  })

/**
 * Runs a read of the store, and converts its errors to errors of market data, or to a defect if the store rejected the
 * read.
 */
export const withReadErrors = <A>(
  read: Effect.Effect<A, MarketStoreRefusal | StoreUnavailable>
): Effect.Effect<A, SourceUnavailable> =>
  Effect.catchTags(read, {
    MarketStoreRefusal: (error) => error.isTooMuch === true ? Effect.fail(resultTooLarge(error)) : Effect.die(error),
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

export const inParallel = <A, B, E, F>(
  one: Effect.Effect<A, E>,
  other: Effect.Effect<B, F>
): Effect.Effect<readonly [A, B], E | F> => Effect.all([one, other], { concurrency: 2 })

/** Splits the joined source names of rows, such as `upbit+binance`, into distinct names. */
export const distinctSourceNames = (sources: Iterable<string>): ReadonlyArray<string> => [
  ...new Set(Array.from(new Set(sources), (source) => source.split("+")).flat())
]

/** Returns a reading with the sources of its rows, or with the store as the source if no source is given. */
export const makeStoredReading = <A>(value: A, sources: Iterable<string>, asOf: number): Reading<A> => {
  const names = distinctSourceNames(sources)
  return makeReading(value, names.length === 0 ? storeName : names, asOf)
}
