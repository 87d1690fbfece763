import type { Effect } from "effect"
import type { MarketError } from "./errors.ts"

/**
 * What a market port answers: a value, where it came from, and how new it is. Each datum has its own source and time,
 * so that a tool can name what it really stood on.
 */
export interface Reading<A> {
  readonly value: A
  /** Where it came from, as results say (`simulated`, `binance`): by name, without duplicates, at least one. */
  readonly sources: ReadonlyArray<string>
  /**
   * Up to when the value knows, epoch ms, never after the present: the time of the newest datum in it. The time
   * - of a price, a record or a point on a grid is its own instant; of a quoted rate, when it was quoted;
   * - of an event, an article, a filing is when it happened or was published (of what has a date alone, that day's end
   *   or the present);
   * - of a candle, a bucket, a session, a sum over an interval is its end (of what was delisted within it, the
   *   delisting); while it runs, the newest that it counts;
   * - of facts that have none (what is listed, a supply) is when the source was asked for them, at most a day ago.
   *
   * An empty answer is as of when the source was asked.
   */
  readonly asOf: number
}

/** A question to a market port. */
export type MarketRead<A> = Effect.Effect<Reading<A>, MarketError>

/** A value from one source, or from several. */
export const reading = <A>(value: A, source: string | ReadonlyArray<string>, asOf: number): Reading<A> => ({
  value,
  sources: typeof source === "string" ? [source] : unite(source),
  asOf
})

/** The same reading of something that follows from its value. */
export const mapReading = <A, B>({ asOf, sources, value }: Reading<A>, f: (value: A) => B): Reading<B> => ({
  value: f(value),
  sources,
  asOf
})

/** What several readings make together: of all their sources, and as new as the oldest of them. */
export const combine = <A>(
  value: A,
  readings: readonly [Reading<unknown>, ...ReadonlyArray<Reading<unknown>>]
): Reading<A> => ({ value, sources: sourcesOf(readings), asOf: Math.min(...readings.map(({ asOf }) => asOf)) })

/** Every source of some readings, by name. Those of one are so already. */
export const sourcesOf = (readings: ReadonlyArray<Pick<Reading<unknown>, "sources">>): ReadonlyArray<string> =>
  readings.length === 1 ? readings[0]!.sources : unite(readings.flatMap(({ sources }) => sources))

const unite = (names: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(names)].sort()
