import type { Effect } from "effect"
import type { MarketError } from "./errors.ts"

/**
 * The response of a market port: a value, its sources and its time. Tools name the sources and the time in their
 * results.
 */
export interface Reading<A> {
  readonly value: A
  /** The names of the sources, sorted, such as `binance`. The list is never empty. */
  readonly sources: ReadonlyArray<string>
  /**
   * The time of the newest data in the value, in epoch ms, never after the present:
   * - For a price, a record or a point of a series, `asOf` is the data's own time. For a quoted rate, `asOf` is the
   *   time of the quote.
   * - For an event, an article or a filing, `asOf` is the time of its occurrence or publication. If only the date is
   *   known, `asOf` is the end of the date or the present.
   * - For a candle, a bucket, a session or a sum over an interval, `asOf` is the end of the interval. If the instrument
   *   was delisted in the interval, `asOf` is the delisting. While the interval is running, `asOf` is the time of the
   *   newest included data.
   * - If the value is empty or has no time of its own, `asOf` is the time of the request to the source. Facts are
   *   requested from the source at least once a day.
   */
  readonly asOf: number
}

/** A read of a market port. */
export type MarketRead<A> = Effect.Effect<Reading<A>, MarketError>

/** Creates a reading of a value from one source or several sources. */
export const makeReading = <A>(value: A, source: string | ReadonlyArray<string>, asOf: number): Reading<A> => ({
  value,
  sources: typeof source === "string" ? [source] : uniqueSorted(source),
  asOf
})

/** Maps the value of a reading, and keeps the sources and the time. */
export const mapReading = <A, B>({ asOf, sources, value }: Reading<A>, f: (value: A) => B): Reading<B> => ({
  value: f(value),
  sources,
  asOf
})

/**
 * Combines several readings into one reading. The combined reading has all sources and the time of the oldest reading.
 */
export const combineReadings = <A>(
  value: A,
  readings: readonly [Reading<unknown>, ...ReadonlyArray<Reading<unknown>>]
): Reading<A> => ({ value, sources: sourcesOf(readings), asOf: Math.min(...readings.map(({ asOf }) => asOf)) })

/** Returns the sources of all `readings`, sorted by name. */
export const sourcesOf = (readings: ReadonlyArray<Pick<Reading<unknown>, "sources">>): ReadonlyArray<string> =>
  readings.length === 1 ? readings[0]!.sources : uniqueSorted(readings.flatMap(({ sources }) => sources))

const uniqueSorted = (names: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(names)].sort()
