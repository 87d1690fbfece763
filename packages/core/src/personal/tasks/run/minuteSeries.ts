import type { Schema } from "effect"
import { minuteMs } from "../../../market/timeframe.ts"
import type { WatchSpec } from "../task.ts"

/** The values of closed minutes for one watched quantity. */
export interface MinuteSeries {
  /** The end of the last minute whose value can be known. A watch judges no later minute. */
  readonly knownUntil: number
  /** The value of the minute with this end. Null if unknown. */
  readonly valueAt: (end: number) => number | null
  /** Further details of the minute at which a watch fires. */
  readonly detailsAt: (end: number, spec: WatchSpec) => Readonly<Record<string, Schema.Json>>
}

/** Watches with the same key share a series. */
export const seriesKey = ({ market, metric, symbol }: WatchSpec): string => `${metric} ${market} ${symbol}`

/** The requested minutes: those whose ends are in `(after, until]`. */
export interface Minutes {
  readonly after: number
  readonly until: number
}

/** A watch's condition. Its minutes are those that end after `after`. */
export interface SeriesRequest {
  readonly spec: WatchSpec
  readonly after: number
}

export type SeriesByKey = ReadonlyMap<string, MinuteSeries>

/** Returns the ends of the minutes. */
export const listMinuteEnds = ({ after, until }: Minutes): ReadonlyArray<number> => {
  const ends: Array<number> = []
  for (let end = (Math.floor(after / minuteMs) + 1) * minuteMs; end <= until; end += minuteMs) ends.push(end)
  return ends
}

export const noDetails = () => ({})
