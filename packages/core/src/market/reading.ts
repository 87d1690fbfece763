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
   * Up to when the value knows, epoch ms, never after the present: the time of the newest datum in it. Of an empty
   * answer, the instant at which the source was asked.
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

/** Every source of some readings, by name. */
export const sourcesOf = (readings: ReadonlyArray<Pick<Reading<unknown>, "sources">>): ReadonlyArray<string> =>
  unite(readings.flatMap(({ sources }) => sources))

const unite = (names: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(names)].sort()
