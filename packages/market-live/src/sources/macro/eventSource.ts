import {
  dayMs,
  type EconomicEvent,
  hourMs,
  type Interval,
  newYorkOffset,
  type SourceUnavailable
} from "@tapeline/core/market"
import type { Effect } from "effect"
import type { Answer, Patience } from "../../source/index.ts"

/** Who publishes, or announces, economic events. */
export interface EventSource {
  /** Those that it tells of an interval, and perhaps others; what is not known of them is null. */
  readonly events: (interval: Interval) => Effect.Effect<Answer<ReadonlyArray<EconomicEvent>>, SourceUnavailable>
}

export interface EventSourceOptions {
  readonly baseUrl?: string
  /** Who asks, for a person to write to: some offices want it of programs. */
  readonly contact?: string | undefined
  readonly patience?: Partial<Patience>
}

export const contactHeaders = (contact: string | undefined): Readonly<Record<string, string>> =>
  contact === undefined ? {} : { "user-agent": `Tapeline ${contact}` }

/** The instant of a wall clock in New York, on a date (its midnight in UTC). */
export const inNewYork = (date: number, hours: number): number => date + (hours + newYorkOffset(date / dayMs)) * hourMs

/** An event of the US whose figures nobody tells. */
export const announced = (
  time: number,
  name: string,
  importance: EconomicEvent["importance"]
): EconomicEvent => ({
  date: new Date(time).toISOString().slice(0, 10),
  time,
  country: "US",
  name,
  importance,
  unit: null,
  forecast: null,
  previous: null,
  actual: null
})

/** The same, of which the date alone is known. */
export const announcedOn = (date: number, name: string, importance: EconomicEvent["importance"]): EconomicEvent => ({
  ...announced(date, name, importance),
  time: null
})
