/** Provides the release schedule of the US Bureau of Labor Statistics, from an iCalendar file (RFC 5545). */
import type { EconomicEvent } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import {
  contactHeaders,
  type EventSource,
  type EventSourceOptions,
  makeUsEvent,
  newYorkTime
} from "../macro/EventSource.ts"
import { makeSource, Name, SourceHealth, withValue } from "../source/index.ts"

export class BlsSchedule extends Context.Service<BlsSchedule, EventSource>()("@tapeline/market-live/BlsSchedule") {}

const localTimePattern = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)00$/u
const StartTime = Schema.String.check(
  Schema.isPattern(localTimePattern, { expected: "a local date and time" }),
  Schema.makeFilter((text) => !Number.isNaN(midnightOf(text)), { expected: "a date" })
)
const Releases = Schema.NonEmptyArray(Schema.Struct({ starts: StartTime, summary: Name }))

const midnightOf = (text: string): number => {
  const [, year, month, date] = localTimePattern.exec(text) ?? []
  return Date.parse(`${year}-${month}-${date}`)
}

const toInstant = (text: string): number => {
  const [, , , , hours, minutes] = localTimePattern.exec(text) ?? []
  return newYorkTime(midnightOf(text), Number(hours) + Number(minutes) / 60)
}

const unescapeText = (text: string): string => text.replace(/\\([,;\\])/gu, "$1")

const valueOf = (lines: ReadonlyArray<string>, name: string): string | undefined =>
  lines.find((line) => line.startsWith(`${name}:`) || line.startsWith(`${name};`))?.replace(/^[^:]*:/u, "")

/** Returns the events of a complete iCalendar file, or undefined for any other text. */
const parseCalendar = (text: string): unknown => {
  const lines = text.replace(/\r\n/gu, "\n").replace(/\n[ \t]/gu, "").trim().split("\n")
  if (lines[0] !== "BEGIN:VCALENDAR" || lines.indexOf("END:VCALENDAR") !== lines.length - 1) return undefined
  const events: Array<ReadonlyArray<string>> = []
  for (const [i, line] of lines.entries()) {
    if (line === "BEGIN:VEVENT") events.push(lines.slice(i, lines.indexOf("END:VEVENT", i)))
  }
  return events.map((event) => {
    const summary = valueOf(event, "SUMMARY")
    return { starts: valueOf(event, "DTSTART"), summary: summary === undefined ? undefined : unescapeText(summary) }
  })
}

const highImportance = new Set(["Employment Situation", "Consumer Price Index"])
const mediumImportance = new Set([
  "Producer Price Index",
  "Employment Cost Index",
  "Job Openings and Labor Turnover Survey",
  "Productivity and Costs",
  "U.S. Import and Export Price Indexes"
])

const importanceOf = (name: string): EconomicEvent["importance"] =>
  highImportance.has(name) ? "high" : mediumImportance.has(name) ? "medium" : "low"

/** The Bureau of Labor Statistics publishes no rate limit. */
const limits = [{ weight: 20, windowMs: 60_000 }]

export const layerBlsSchedule = (
  { baseUrl = "https://www.bls.gov", contact, retryPolicy = {} }: EventSourceOptions = {}
): Layer.Layer<BlsSchedule, never, SourceHealth> =>
  Layer.effect(
    BlsSchedule,
    Effect.map(
      makeSource({ name: "bls", baseUrl, limits, headers: contactHeaders(contact), retryPolicy }),
      (source): EventSource => ({
        events: () =>
          Effect.map(
            source.parsed({
              label: "release schedule",
              path: "/schedule/news_release/bls.ics",
              parse: parseCalendar,
              schema: Releases,
              cacheMs: 3_600_000
            }),
            (answer) =>
              withValue(
                answer,
                answer.value.map(({ starts, summary }) =>
                  makeUsEvent(toInstant(starts), summary, importanceOf(summary))
                )
              )
          )
      })
    )
  )
