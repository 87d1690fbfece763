import { makeReading, type Reading } from "@tapeline/core/market"

/** The source name in every reading of the simulated market. */
export const source = "simulated"

/** Creates a reading of the simulated market, where `asOf` is the time of the newest value. */
export const simulatedReading = <A>(value: A, asOf: number): Reading<A> => makeReading(value, source, asOf)

/** Returns the time of the last element of a series, or `now` if the series is empty. */
export const getNewestTime = (series: ReadonlyArray<{ readonly time: number }>, now: number): number =>
  Math.min(now, series.at(-1)?.time ?? now)
