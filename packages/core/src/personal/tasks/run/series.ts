import type { Schema } from "effect"
import { minuteMs } from "../../../market/timeframe.ts"
import type { WatchSpec } from "../spec.ts"

/** What closed minutes showed of one thing that is watched. */
export interface MinuteSeries {
  /** Minutes that end later are awaited: a watch looks no further. */
  readonly knownUntil: number
  /** The value of the minute that ends so, as `judgeMinutes` takes it; null where nothing is known of it. */
  readonly valueAt: (end: number) => number | null
  /** What is told of that minute beside its value, of a watch that fires. */
  readonly detailsAt: (end: number, spec: WatchSpec) => Readonly<Record<string, Schema.Json>>
}

/** Watches of one key look at the same values. */
export const seriesKey = ({ market, metric, symbol }: WatchSpec): string => `${metric} ${market} ${symbol}`

/** Minutes that are asked for: those that end in `(after, until]`. */
export interface Minutes {
  readonly after: number
  readonly until: number
}

/** A watch's condition, and the minutes that it looks at: those that end after. */
export interface Wanted {
  readonly spec: WatchSpec
  readonly after: number
}

export type SeriesByKey = ReadonlyMap<string, MinuteSeries>

/** Ends of minutes. */
export const endsIn = ({ after, until }: Minutes): ReadonlyArray<number> => {
  const ends: Array<number> = []
  for (let end = (Math.floor(after / minuteMs) + 1) * minuteMs; end <= until; end += minuteMs) ends.push(end)
  return ends
}

export const nothingMore = () => ({})
