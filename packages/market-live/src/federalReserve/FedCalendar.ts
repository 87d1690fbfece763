/** Provides the Federal Reserve's calendar of FOMC meetings, press conferences and minutes. */
import type { EconomicEvent } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import {
  contactHeaders,
  type EventSource,
  type EventSourceOptions,
  makeUsDateEvent,
  makeUsEvent,
  newYorkTime
} from "../macro/EventSource.ts"
import { makeSource, Name, SourceHealth, withValue } from "../source/index.ts"

export class FedCalendar extends Context.Service<FedCalendar, EventSource>()("@tapeline/market-live/FedCalendar") {}

/** Returns the last day of a meeting (`28`, `27-28`), on which the decision is made. */
const lastDay = (days: string): string => (/(\d{1,2})\s*$/u.exec(days)?.[1] ?? "").padStart(2, "0")
const timePattern = /^(\d{1,2}):(\d\d) (a|p)\.m\.$/u

const Meeting = Schema.Struct({
  type: Schema.Literal("FOMC"),
  title: Name,
  month: Schema.String.check(Schema.isPattern(/^\d{4}-\d\d$/u, { expected: "a month" })),
  days: Schema.String.check(Schema.isPattern(/^(\d{1,2}\s*[-,]\s*)*\d{1,2}\s*$/u, { expected: "days of a month" })),
  /** The time of the meeting, which is empty if not yet known. */
  time: Schema.Union([
    Schema.Literal(""),
    Schema.String.check(Schema.isPattern(timePattern, { expected: "a time of the day" }))
  ])
}).check(
  Schema.makeFilter(({ days, month }) => !Number.isNaN(Date.parse(`${month}-${lastDay(days)}`)), { expected: "a date" })
)

const Other = Schema.Struct({
  type: Schema.optionalKey(
    Schema.Unknown.check(Schema.makeFilter((type) => type !== "FOMC", { expected: "another type" }))
  )
})

const Calendar = Schema.Struct({ events: Schema.Array(Schema.Union([Meeting, Other])) })

const hoursOf = (time: string): number | undefined => {
  const [, hours, minutes, half] = timePattern.exec(time) ?? []
  return hours === undefined ? undefined : Number(hours) % 12 + (half === "p" ? 12 : 0) + Number(minutes) / 60
}

const toEvent = ({ days, month, time, title }: typeof Meeting.Type): EconomicEvent => {
  const date = Date.parse(`${month}-${lastDay(days)}`)
  const importance = title === "FOMC Meeting" ? "high" : "medium"
  const hours = hoursOf(time)
  return hours === undefined
    ? makeUsDateEvent(date, title, importance)
    : makeUsEvent(newYorkTime(date, hours), title, importance)
}

/** The Federal Reserve publishes no rate limit. */
const limits = [{ weight: 20, windowMs: 60_000 }]

export const layerFedCalendar = (
  { baseUrl = "https://www.federalreserve.gov", contact, retryPolicy = {} }: EventSourceOptions = {}
): Layer.Layer<FedCalendar, never, SourceHealth> =>
  Layer.effect(
    FedCalendar,
    Effect.map(
      makeSource({ name: "federal_reserve", baseUrl, limits, headers: contactHeaders(contact), retryPolicy }),
      (source): EventSource => ({
        events: () =>
          Effect.map(
            source.json({
              label: "calendar",
              path: "/json/calendar.json",
              schema: Calendar,
              cacheMs: 3_600_000
            }),
            (answer) => withValue(answer, answer.value.events.flatMap((row) => "title" in row ? [toEvent(row)] : []))
          )
      })
    )
  )
