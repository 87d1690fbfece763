import { Context } from "effect"
import type { MarketRead } from "./reading.ts"
import type { Interval } from "./series.ts"

export interface EconomicEvent {
  /** Date, `YYYY-MM-DD` (of the instant in UTC), and the instant; null where the source gives the date alone. */
  readonly date: string
  readonly time: number | null
  /** ISO 3166 alpha-2; `EU` for the euro area. */
  readonly country: string
  readonly name: string
  readonly importance: "low" | "medium" | "high"
  /** Null where the source names none. */
  readonly unit: string | null
  readonly forecast: number | null
  readonly previous: number | null
  /** Null until it is published. */
  readonly actual: number | null
}

export interface YieldPoint {
  /** `3M`, `2Y`, `10Y`, ... */
  readonly tenor: string
  readonly years: number
  /** Percent a year. */
  readonly yieldPct: number
  /** The same tenor 30 days earlier; null where it was not recorded. */
  readonly yield1mAgoPct: number | null
}

export interface YieldCurve {
  readonly country: "US" | "KR"
  readonly time: number
  /** Shortest first. */
  readonly points: ReadonlyArray<YieldPoint>
}

/**
 * Economic calendar and government yields: external calls, which may fail with `SourceUnavailable`.
 * The present is Effect's Clock: of events to come, `actual` is null.
 */
export class MacroCalendar extends Context.Service<MacroCalendar, {
  /**
   * Events with `from <= time < to`, by date and soonest first, of all countries or of one; `to` may lie in the future.
   * One without a time is counted by its date's midnight, and comes before the others of its date.
   */
  readonly events: (
    query: { readonly country?: string } & Interval
  ) => MarketRead<ReadonlyArray<EconomicEvent>>

  /** The government curve of a country now. */
  readonly yieldCurve: (country: "US" | "KR") => MarketRead<YieldCurve>
}>()("@tapeline/core/market/MacroCalendar") {}
