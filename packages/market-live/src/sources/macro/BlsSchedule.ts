/**
 * The release schedule of the US Bureau of Labor Statistics, without a key: employment, prices, wages. It is a calendar
 * as in RFC 5545.
 */
import type { EconomicEvent } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import { answering, makeSource, Name, SourceHealth } from "../../source/index.ts"
import { announced, contactHeaders, type EventSource, type EventSourceOptions, inNewYork } from "./eventSource.ts"

export class BlsSchedule extends Context.Service<BlsSchedule, EventSource>()("@tapeline/market-live/BlsSchedule") {}

const local = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)00$/u
const Starts = Schema.String.check(
  Schema.isPattern(local, { expected: "a local date and time" }),
  Schema.makeFilter((text) => !Number.isNaN(midnightOf(text)), { expected: "a date" })
)
const Releases = Schema.NonEmptyArray(Schema.Struct({ starts: Starts, summary: Name }))

const midnightOf = (text: string): number => {
  const [, year, month, date] = local.exec(text) ?? []
  return Date.parse(`${year}-${month}-${date}`)
}

const instantOf = (text: string): number => {
  const [, , , , hours, minutes] = local.exec(text) ?? []
  return inNewYork(midnightOf(text), Number(hours) + Number(minutes) / 60)
}

/** Removes the format's escapes, such as `\,`. */
const unescaped = (text: string): string => text.replace(/\\([,;\\])/gu, "$1")

/** The value of a property in an event, with or without parameters; undefined if it is missing. */
const valueOf = (lines: ReadonlyArray<string>, name: string): string | undefined =>
  lines.find((line) => line.startsWith(`${name}:`) || line.startsWith(`${name};`))?.replace(/^[^:]*:/u, "")

/** The events of a complete calendar; undefined for any other text. */
const calendarOf = (text: string): unknown => {
  const lines = text.replace(/\r\n/gu, "\n").replace(/\n[ \t]/gu, "").trim().split("\n")
  if (lines[0] !== "BEGIN:VCALENDAR" || lines.indexOf("END:VCALENDAR") !== lines.length - 1) return undefined
  const events: Array<ReadonlyArray<string>> = []
  for (const [i, line] of lines.entries()) {
    if (line === "BEGIN:VEVENT") events.push(lines.slice(i, lines.indexOf("END:VEVENT", i)))
  }
  return events.map((event) => {
    const summary = valueOf(event, "SUMMARY")
    return { starts: valueOf(event, "DTSTART"), summary: summary === undefined ? undefined : unescaped(summary) }
  })
}

const high = new Set(["Employment Situation", "Consumer Price Index"])
const medium = new Set([
  "Producer Price Index",
  "Employment Cost Index",
  "Job Openings and Labor Turnover Survey",
  "Productivity and Costs",
  "U.S. Import and Export Price Indexes"
])

const importanceOf = (name: string): EconomicEvent["importance"] =>
  high.has(name) ? "high" : medium.has(name) ? "medium" : "low"

/** No rate limit is published. */
const limits = [{ weight: 20, windowMs: 60_000 }]

export const layerBlsSchedule = (
  { baseUrl = "https://www.bls.gov", contact, patience = {} }: EventSourceOptions = {}
): Layer.Layer<BlsSchedule, never, SourceHealth> =>
  Layer.effect(
    BlsSchedule,
    Effect.map(
      makeSource({ name: "bls", baseUrl, limits, headers: contactHeaders(contact), patience }),
      (source): EventSource => ({
        events: () =>
          Effect.map(
            source.parsed({
              what: "release schedule",
              path: "/schedule/news_release/bls.ics",
              parse: calendarOf,
              schema: Releases,
              cacheMs: 3_600_000
            }),
            (answer) =>
              answering(
                answer,
                answer.value.map(({ starts, summary }) => announced(instantOf(starts), summary, importanceOf(summary)))
              )
          )
      })
    )
  )
