import type { StoreUnavailable } from "@tapeline/core/engine"
import { makeReading, type Reading, SourceUnavailable } from "@tapeline/core/market"
import type { MarketStoreRefusal } from "@tapeline/core/market/store"
import { Effect } from "effect"

/** The source name of a reading if none of its rows names a source. */
export const storeName = "store"

/**
 * Returns the error for a read whose result is too large. A result that is too large is no defect, because the caller's
 * arguments are valid.
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
 * Runs a read of the store, and converts its errors to market errors. If the store rejects a read, the result is a
 * defect, unless the read's result was too large.
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

/**
 * Returns a reading whose sources are the distinct sources of its rows. If a reading has no sources, the store counts
 * as its source.
 */
export const makeStoredReading = <A>(value: A, sources: Iterable<string>, asOf: number): Reading<A> => {
  const names = distinctSourceNames(sources)
  return makeReading(value, names.length === 0 ? storeName : names, asOf)
}
