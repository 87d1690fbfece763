import {
  dayMs,
  type EconomicEvent,
  hourMs,
  type Interval,
  newYorkOffset,
  type SourceUnavailable
} from "@tapeline/core/market"
import type { Effect } from "effect"
import type { RetryPolicy, SourceResponse } from "../source/index.ts"

/** A source of economic events. */
export interface EventSource {
  /** Fetches the events of an interval, and possibly events outside the interval, with null for unknown fields. */
  readonly events: (
    interval: Interval
  ) => Effect.Effect<SourceResponse<ReadonlyArray<EconomicEvent>>, SourceUnavailable>
}

export interface EventSourceOptions {
  readonly baseUrl?: string | undefined
  /** The operator's contact, which some government sites require from clients. */
  readonly contact?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

export const contactHeaders = (contact: string | undefined): Readonly<Record<string, string>> =>
  contact === undefined ? {} : { "user-agent": `Tapeline ${contact}` }

/** Returns the time `hours` hours after midnight in New York. `date` is midnight of the day in UTC. */
export const newYorkTime = (date: number, hours: number): number =>
  date + (hours + newYorkOffset(date / dayMs)) * hourMs

export const makeUsEvent = (
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

/** Returns a US event with a date but without a time. */
export const makeUsDateEvent = (
  date: number,
  name: string,
  importance: EconomicEvent["importance"]
): EconomicEvent => ({
  ...makeUsEvent(date, name, importance),
  time: null
})
