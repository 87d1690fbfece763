import { type Reading, reading } from "@tapeline/core/market"

/** What every result of this market names as its source. */
export const source = "simulated"

/** A reading of the simulated market, whose newest datum is of `asOf`. */
export const simulated = <A>(value: A, asOf: number): Reading<A> => reading(value, source, asOf)

/** The time of the last of a series, or the present when it is empty. */
export const newestOf = (series: ReadonlyArray<{ readonly time: number }>, now: number): number =>
  Math.min(now, series.at(-1)?.time ?? now)
