import type { Effect } from "effect"
import type { MarketError } from "./errors.ts"

/**
 * The response of a market port: a value, its sources and its time. Each reading has its own sources and time, so that
 * a tool can name the data that it used.
 */
export interface Reading<A> {
  readonly value: A
  /** The sources as results name them (`simulated`, `binance`): by name, without duplicates, at least one. */
  readonly sources: ReadonlyArray<string>
  /**
   * The time of the newest data in the value, in epoch ms, never after the present. The time of
   * - a price, a record or a point on a grid is its own time; that of a quoted rate is the time of the quote;
   * - an event, an article or a filing is when it happened or was published (with only a date: the end of that day, or
   *   the present);
   * - a candle, a bucket, a session or a sum over an interval is its end (or the delisting within it). While the
   *   interval is running, it is the newest data that it includes;
   * - facts without a time (listings, a supply) is when they were requested from the source, at most a day ago.
   *
   * The time of an empty value is that of the request to the source.
   */
  readonly asOf: number
}

/** A read of a market port. */
export type MarketRead<A> = Effect.Effect<Reading<A>, MarketError>

/** Makes a reading of a value from one source or several. */
export const makeReading = <A>(value: A, source: string | ReadonlyArray<string>, asOf: number): Reading<A> => ({
  value,
  sources: typeof source === "string" ? [source] : uniqueSorted(source),
  asOf
})

/** Maps the value of a reading, and keeps its sources and time. */
export const mapReading = <A, B>({ asOf, sources, value }: Reading<A>, f: (value: A) => B): Reading<B> => ({
  value: f(value),
  sources,
  asOf
})

/** Combines several readings: all their sources, and the time of the oldest reading. */
export const combineReadings = <A>(
  value: A,
  readings: readonly [Reading<unknown>, ...ReadonlyArray<Reading<unknown>>]
): Reading<A> => ({ value, sources: sourcesOf(readings), asOf: Math.min(...readings.map(({ asOf }) => asOf)) })

/** Returns all sources of some readings, by name. The sources of one reading are already sorted. */
export const sourcesOf = (readings: ReadonlyArray<Pick<Reading<unknown>, "sources">>): ReadonlyArray<string> =>
  readings.length === 1 ? readings[0]!.sources : uniqueSorted(readings.flatMap(({ sources }) => sources))

const uniqueSorted = (names: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(names)].sort()
