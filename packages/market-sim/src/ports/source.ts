import { makeReading, type Reading } from "@tapeline/core/market"

/** The source that all results of this market name. */
export const source = "simulated"

/** A reading of the simulated market, whose newest value has the time `asOf`. */
export const simulatedReading = <A>(value: A, asOf: number): Reading<A> => makeReading(value, source, asOf)

/** The time of the last element of a series, or the present if the series is empty. */
export const getNewestTime = (series: ReadonlyArray<{ readonly time: number }>, now: number): number =>
  Math.min(now, series.at(-1)?.time ?? now)
