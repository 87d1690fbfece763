import { Context } from "effect"
import type { MarketRead } from "./reading.ts"
import type { Interval } from "./series.ts"

export interface EconomicEvent {
  /** The date of the event, `YYYY-MM-DD`. If the time is known, the date is in UTC; otherwise, `time` is null. */
  readonly date: string
  readonly time: number | null
  /** The country as ISO 3166 alpha-2; `EU` for the euro area. */
  readonly country: string
  readonly name: string
  readonly importance: "low" | "medium" | "high"
  /** The unit of the event's values; null if the source reports no unit. */
  readonly unit: string | null
  readonly forecast: number | null
  readonly previous: number | null
  /** The published value of the event; null until the value is published. */
  readonly actual: number | null
}

export interface YieldPoint {
  /** The maturity of the bond: `3M`, `2Y`, `10Y`, ... */
  readonly tenor: string
  readonly years: number
  readonly yieldPct: number
  /** The yield of the same tenor 30 days earlier; null if the yield was not recorded. */
  readonly yield1mAgoPct: number | null
}

export interface YieldCurve {
  readonly country: "US" | "KR"
  readonly time: number
  /** The yields by tenor, shortest tenor first. */
  readonly points: ReadonlyArray<YieldPoint>
}

/**
 * Reads the economic calendar and government bond yields by external calls. Every call may fail with
 * `SourceUnavailable`. For events after the present time of Effect's Clock, `actual` is null.
 */
export class MacroCalendar extends Context.Service<MacroCalendar, {
  /**
   * Returns events with `from <= time < to`, ordered by date and time, of all countries or of one country. `to` may be
   * in the future. An event without a time counts at midnight of its date, before the other events of that date.
   */
  readonly events: (
    query: { readonly country?: string } & Interval
  ) => MarketRead<ReadonlyArray<EconomicEvent>>

  readonly yieldCurve: (country: "US" | "KR") => MarketRead<YieldCurve>
}>()("@tapeline/core/market/MacroCalendar") {}
