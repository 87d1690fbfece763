import { Context } from "effect"
import type { Effect } from "effect"
import type { MarketError } from "./errors.ts"

export interface EconomicEvent {
  readonly time: number
  /** ISO 3166 alpha-2; `EU` for the euro area. */
  readonly country: string
  readonly name: string
  readonly importance: "low" | "medium" | "high"
  readonly unit: string
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
  /** The same tenor 30 days earlier. */
  readonly yield1mAgoPct: number
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
  /** Where the data came from, as results say. */
  readonly source: string

  /** Events with `from <= time < to`, soonest first, of all countries or of one; `to` may lie in the future. */
  readonly events: (query: {
    readonly from: number
    readonly to: number
    readonly country?: string
  }) => Effect.Effect<ReadonlyArray<EconomicEvent>, MarketError>

  /** The government curve of a country now. */
  readonly yieldCurve: (country: "US" | "KR") => Effect.Effect<YieldCurve, MarketError>
}>()("@tapeline/core/market/MacroCalendar") {}
