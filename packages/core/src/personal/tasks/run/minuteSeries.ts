import type { Schema } from "effect"
import { minuteMs } from "../../../market/timeframe.ts"
import type { WatchSpec } from "../task.ts"

/** The values of closed minutes for one watched quantity. */
export interface MinuteSeries {
  /** The end of the last minute whose value can be known. A watch does not evaluate minutes after `knownUntil`. */
  readonly knownUntil: number
  /** Returns the value of the minute that ends at `end`, or null if the value is unknown. */
  readonly valueAt: (end: number) => number | null
  readonly detailsAt: (end: number, spec: WatchSpec) => Readonly<Record<string, Schema.Json>>
}

/** Returns the key of a watch's value series. Watches with equal metric, market and symbol share a series. */
export const seriesKey = ({ market, metric, symbol }: WatchSpec): string => `${metric} ${market} ${symbol}`

/** A range of minutes: the minutes whose ends are in `(after, until]`. */
export interface Minutes {
  readonly after: number
  readonly until: number
}

/** A request for a watched quantity's values in all minutes that end after `after`. */
export interface SeriesRequest {
  readonly spec: WatchSpec
  readonly after: number
}

export type SeriesByKey = ReadonlyMap<string, MinuteSeries>

export const listMinuteEnds = ({ after, until }: Minutes): ReadonlyArray<number> => {
  const ends: Array<number> = []
  for (let end = (Math.floor(after / minuteMs) + 1) * minuteMs; end <= until; end += minuteMs) ends.push(end)
  return ends
}

export const noDetails = () => ({})
