/** Fakes of the release calendars of US authorities. */
import { dayMs, type EconomicEvent, hourMs, localDay, type MacroCalendar, newYorkOffset } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"

type Calendar = MacroCalendar["Service"]

/** The fake calendars list releases within this time before and after now, in milliseconds. */
const rangeMs = 100 * dayMs

const releases = Effect.fnUntraced(function*(calendar: Calendar, names: Readonly<Record<string, string>>) {
  const now = yield* Clock.currentTimeMillis
  const { value } = yield* Effect.orDie(calendar.events({ country: "US", from: now - rangeMs, to: now + rangeMs }))
  return value.flatMap(({ name, time }: EconomicEvent) =>
    time === null || names[name] === undefined ? [] : [{ time, name: names[name] }]
  )
})

const localOf = (time: number) => {
  const day = localDay("US", time)
  const minutes = Math.round((time - newYorkOffset(day) * hourMs - day * dayMs) / 60_000)
  return { date: new Date(day * dayMs).toISOString().slice(0, 10), minutes }
}

const twoDigits = (n: number): string => String(n).padStart(2, "0")

const serveAt = (path: string, answer: Effect.Effect<FakeResponse>): RequestHandler => (request) =>
  request.path === path ? answer : Effect.succeed(null)

/** Creates a fake of the Federal Reserve's calendar, with a byte order mark and with entries of other types. */
export const makeFedCalendar = (calendar: Calendar): RequestHandler =>
  serveAt(
    "/json/calendar.json",
    Effect.map(releases(calendar, { "FOMC Rate Decision": "FOMC Meeting" }), (releases) => ({
      body: `\uFEFF${
        JSON.stringify({
          events: [
            { title: "Speech - A Governor", time: "9:00 a.m.", month: "2026-11", days: "1, 8", type: "Speeches" },
            { title: "", month: "", days: "" },
            ...releases.map(({ name, time }) => {
              const { date, minutes } = localOf(time)
              const day = Number(date.slice(8))
              return {
                title: name,
                time: `${(Math.floor(minutes / 60) + 11) % 12 + 1}:${twoDigits(minutes % 60)} ${
                  minutes < 720 ? "a" : "p"
                }.m.`,
                description: "Two-day meeting",
                month: date.slice(0, 7),
                days: day > 1 ? `${day - 1}-${day}` : String(day),
                type: "FOMC"
              }
            })
          ]
        })
      }`
    }))
  )

const beaReleases = {
  "GDP QoQ Annualised (Advance)": "Gross Domestic Product",
  "Core PCE YoY": "Personal Income and Outlays"
}

export const makeBeaSchedule = (calendar: Calendar): RequestHandler =>
  serveAt(
    "/API/signup/release_dates.json",
    Effect.map(releases(calendar, beaReleases), (releases) => {
      const datesOf = (name: string) => ({
        release_dates: releases.filter((one) => one.name === name).map(({ time }) =>
          new Date(time).toISOString().replace(".000Z", "+00:00")
        )
      })
      return {
        body: {
          "GDP by State": { release_dates: [] },
          "U.S. International Trade in Goods and Services": { release_dates: ["2026-12-08T13:30:00+00:00"] },
          "Gross Domestic Product": datesOf("Gross Domestic Product"),
          "Personal Income and Outlays": datesOf("Personal Income and Outlays"),
          last_updated: "2026-11-01"
        }
      }
    })
  )

const blsReleases = {
  "CPI YoY": "Consumer Price Index",
  "Nonfarm Payrolls": "Employment Situation",
  "PPI MoM": "Producer Price Index",
  "JOLTS Job Openings": "Job Openings and Labor Turnover Survey"
}

/**
 * Creates a fake of the Bureau of Labor Statistics' iCalendar file (RFC 5545), with time zone rules and folded lines.
 */
export const makeBlsSchedule = (calendar: Calendar): RequestHandler =>
  serveAt(
    "/schedule/news_release/bls.ics",
    Effect.map(releases(calendar, blsReleases), (releases) => {
      const events = releases.map(({ name, time }, i) => {
        const { date, minutes } = localOf(time)
        const starts = `${date.replaceAll("-", "")}T${twoDigits(Math.floor(minutes / 60))}${twoDigits(minutes % 60)}00`
        const summary = name.length > 30 ? `${name.slice(0, 20)}\r\n ${name.slice(20)}` : name
        return `BEGIN:VEVENT\r\nSEQUENCE:1\r\nUID:${i}\r\nDTSTART;TZID=US-Eastern:${starts}\r\nDURATION:PT0M\r\nSUMMARY:${summary}\r\nLOCATION:Washington\\, DC\r\nEND:VEVENT\r\n`
      })
      return {
        headers: { "content-type": "text/calendar" },
        body:
          `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nSUMMARY:BLS.gov Economic News Release Schedule\r\nBEGIN:VTIMEZONE\r\n` +
          `TZID:US-Eastern\r\nBEGIN:DAYLIGHT\r\nDTSTART:20070311T020000\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n${
            events.join("")
          }END:VCALENDAR\r\n`
      }
    })
  )
