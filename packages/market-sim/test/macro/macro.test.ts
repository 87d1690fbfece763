import { assert, it } from "@effect/vitest"
import { dayMs, hourMs, readValue } from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { getReleases, toKnownEvent } from "../../src/macro/calendar.ts"
import { getMeetings, getPolicyRate } from "../../src/macro/policy.ts"
import { getYieldCurve } from "../../src/macro/yields.ts"
import { makeMacroCalendar } from "../../src/ports/macroCalendar.ts"
import { makeWorld } from "../../src/world.ts"
import { computeMean } from "../support/statistics.ts"

const now = Date.parse("2026-09-16T18:00:00Z")
const world = makeWorld(9)

const year = getReleases(world, Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1))

test("releases are on the days that the publication rules define", () => {
  const findReleases = (country: string, name: string) =>
    year.filter((release) => release.country === country && release.name === name)
  expect(findReleases("US", "FOMC Rate Decision").map(({ time }) => new Date(time).toISOString())).toEqual([
    "2026-01-28T19:00:00.000Z",
    "2026-03-18T18:00:00.000Z",
    "2026-04-29T18:00:00.000Z",
    "2026-06-17T18:00:00.000Z",
    "2026-07-29T18:00:00.000Z",
    "2026-09-16T18:00:00.000Z",
    "2026-10-28T18:00:00.000Z",
    "2026-12-09T19:00:00.000Z"
  ])
  expect(findReleases("KR", "BoK Base Rate Decision")).toHaveLength(8)
  // 4 July 2026 is a Saturday, so the holiday is observed on Friday.
  expect(findReleases("US", "Nonfarm Payrolls").map(({ time }) => new Date(time).getUTCDay())).toEqual(
    Array.from({ length: 12 }, (_, month) => month === 6 ? 4 : 5)
  )
  const claims = findReleases("US", "Initial Jobless Claims").map(({ time }) =>
    new Date(time).toISOString().slice(0, 10)
  )
  expect(claims.filter((day) => new Date(day).getUTCDay() !== 4)).toEqual(["2026-11-25"])
  const federalHolidays = [
    "01-01",
    "01-19",
    "02-16",
    "05-25",
    "06-19",
    "07-03",
    "09-07",
    "10-12",
    "11-11",
    "11-26",
    "12-25"
  ]
  for (const { country, time } of year) {
    if (country === "US") expect(federalHolidays).not.toContain(new Date(time).toISOString().slice(5, 10))
  }
  expect(findReleases("US", "CPI YoY")).toHaveLength(12)
  expect(findReleases("US", "Initial Jobless Claims").length).toBeGreaterThanOrEqual(52)
  expect(findReleases("US", "GDP QoQ Annualised (Advance)")).toHaveLength(4)
  expect(new Set(year.map(({ country }) => country))).toEqual(new Set(["US", "KR", "EU", "GB", "JP", "CN"]))
  expect(year.map(({ time }) => time)).toEqual(year.map(({ time }) => time).toSorted((a, b) => a - b))
  for (const { time, country } of year) {
    const local = time + (["KR", "JP", "CN"].includes(country) ? 9 * hourMs : 0)
    expect([0, 6]).not.toContain(new Date(local).getUTCDay())
  }
})

/** 2024-06-19 and 2030-06-19 are third Wednesdays and federal holidays. */
const seven = getReleases(world, Date.UTC(2024, 0, 1), Date.UTC(2031, 0, 1))

test.each([
  ["US", -5, ["06-19", "07-04", "12-25"]],
  ["EU", 1, ["01-01", "05-01", "12-25", "12-26"]],
  ["GB", 0, ["01-01", "12-25", "12-26"]],
  ["JP", 9, ["01-01", "01-02", "01-03", "04-29", "05-03", "11-03", "12-31"]],
  ["KR", 9, ["01-01", "03-01", "08-15", "10-03", "12-25"]]
])("%s has no release or rate decision on its holidays", (area, utcOffsetHours, holidays) => {
  for (const { country, name, time } of seven) {
    if (country !== area) continue
    const local = new Date(time + utcOffsetHours * hourMs)
    expect(holidays, `${name} ${local.toISOString()}`).not.toContain(local.toISOString().slice(5, 10))
    expect([0, 6], `${name} ${local.toISOString()}`).not.toContain(local.getUTCDay())
  }
})

test.each([
  ["US", "FOMC Rate Decision", "2024-06", ["2024-06-12T18:00:00.000Z"]],
  ["US", "FOMC Rate Decision", "2030-06", ["2030-06-12T18:00:00.000Z"]],
  // Friday, 20 March 2026, is the equinox.
  ["JP", "BoJ Policy Rate Decision", "2026-03", ["2026-03-19T03:00:00.000Z"]],
  ["EU", "HICP Flash YoY", "2026-01", ["2026-01-02T10:00:00.000Z"]],
  // Before 2026, Labour Day was a holiday of the exchange only.
  ["KR", "Exports YoY", "2024-05", ["2024-05-01T00:00:00.000Z"]],
  ["KR", "Trade Balance", "2025-05", ["2025-05-01T00:00:00.000Z"]],
  ["KR", "Exports YoY", "2026-05", ["2026-05-04T00:00:00.000Z"]],
  // 24 December 2028 is a Sunday. The release would move to 25 December, which is a holiday, so it moves to 26
  // December.
  ["KR", "Consumer Sentiment", "2028-12", ["2028-12-25T21:00:00.000Z"]],
  ["JP", "Tankan Large Manufacturers", "2025", [
    "2025-03-31T23:50:00.000Z",
    "2025-06-30T23:50:00.000Z",
    "2025-09-30T23:50:00.000Z",
    "2025-12-14T23:50:00.000Z"
  ]]
])("%s %s of %s is on a working day", (area, figure, period, expected) => {
  const releases = seven.filter(({ country, name }) => country === area && name === figure)
  const times = releases.map(({ time }) => new Date(time).toISOString()).filter((time) => time.startsWith(period))
  expect(times).toEqual(expected)
})

test("windows of one day contain the releases of the long window", () => {
  // Thanksgiving, Christmas and New Year move the claims from Thursday to these Wednesdays.
  const moved = ["2025-11-26", "2025-12-24", "2025-12-31", "2026-11-25"]
  const from = Date.UTC(2025, 10, 1)
  const days = Array.from({ length: 425 }, (_, i) => getReleases(world, from + i * dayMs, from + (i + 1) * dayMs))
  const long = getReleases(world, from, from + 425 * dayMs)
  const claims = long.filter(({ name, time }) => name.endsWith("Claims") && new Date(time).getUTCDay() === 3)
  expect(claims.map(({ time }) => new Date(time).toISOString().slice(0, 10))).toEqual(moved)
  expect(days.flat()).toEqual(long)
})

test("a Tankan release in a window of one day has the previous figure", () => {
  const from = Date.parse("2025-03-31T15:00:00Z")
  const all = seven.filter(({ name }) => name.startsWith("Tankan"))
  const [april] = getReleases(world, from, from + dayMs).filter(({ name }) => name.startsWith("Tankan"))
  expect(april?.previous).toBe(all.find(({ time }) => time > Date.UTC(2024, 11, 1))!.actual)
})

test("a release's previous figure is the last actual one; forecasts are close and unbiased", () => {
  for (const name of ["CPI YoY", "Nonfarm Payrolls", "Initial Jobless Claims", "FOMC Rate Decision"]) {
    const list = year.filter((release) => release.country === "US" && release.name === name)
    for (const [i, release] of list.entries()) {
      const before = list[i - 1]
      expect(release.previous).toBe(before === undefined ? release.previous : before.actual)
    }
  }
  const longer = getReleases(world, Date.UTC(2020, 0, 1), Date.UTC(2027, 0, 1)).filter(({ name }) =>
    name === "Nonfarm Payrolls"
  )
  const misses = longer.map(({ actual, forecast }) => actual - forecast)
  expect(Math.abs(computeMean(misses))).toBeLessThan(15)
  expect(computeMean(misses.map(Math.abs))).toBeGreaterThan(15)
  expect(computeMean(misses.map(Math.abs))).toBeLessThan(70)
})

test("central banks change rates in steps of 0.25, by at most 0.75", () => {
  const meetings = getMeetings(world, "US", Date.UTC(2020, 0, 1), Date.UTC(2028, 0, 1))
  for (const [i, meeting] of meetings.entries()) {
    expect(meeting.rate * 4).toBe(Math.round(meeting.rate * 4))
    expect(meeting.previousRate).toBe(meetings[i - 1]?.rate ?? meeting.previousRate)
    expect(Math.abs(meeting.rate - meeting.previousRate)).toBeLessThanOrEqual(0.75)
  }
  const moved = meetings.filter(({ rate, previousRate }) => rate !== previousRate)
  expect(moved.length).toBeGreaterThan(5)
  expect(moved.length).toBeLessThan(meetings.length * 0.6)
})

test("a release has no actual figure before its time", () => {
  for (const release of year) {
    const before = toKnownEvent(release, release.time - 1)
    expect(before.actual).toBeNull()
    expect(before.forecast).toBe(release.forecast)
    expect(before.previous).toBe(release.previous)
    expect(toKnownEvent(release, release.time).actual).toBe(release.actual)
    expect(toKnownEvent(release, release.time - 20 * dayMs).forecast).toBeNull()
  }
})

test("yields change little from day to day, follow the policy rate, and do not change at weekends", () => {
  for (const country of ["US", "KR"] as const) {
    const changes: Array<number> = []
    for (let day = 0; day < 365; day++) {
      const time = now - day * dayMs
      const { points, time: curveTime } = getYieldCurve(world, country, time)
      expect(points.map(({ years }) => years)).toEqual(points.map(({ years }) => years).toSorted((a, b) => a - b))
      const yesterday = getYieldCurve(world, country, time - dayMs)
      const index = points.findIndex(({ tenor }) => tenor === "10Y")
      changes.push(Math.abs(points[index]!.yieldPct - yesterday.points[index]!.yieldPct))
      expect(Math.abs(points[0]!.yieldPct - getPolicyRate(world, country, time))).toBeLessThan(0.6)
      expect(points[index]!.yield1mAgoPct).toBe(
        getYieldCurve(world, country, curveTime - 30 * dayMs).points[index]!.yieldPct
      )
    }
    expect(Math.max(...changes)).toBeLessThan(0.3)
    expect(computeMean(changes)).toBeGreaterThan(0.01)
  }
  const saturday = Date.parse("2026-09-19T12:00:00Z")
  expect(getYieldCurve(world, "US", saturday)).toEqual(getYieldCurve(world, "US", saturday + 20 * hourMs))
})

it.effect("MacroCalendar returns data as of the clock's time", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const macro = makeMacroCalendar(world)
    const events = yield* readValue(macro.events({ from: now - 7 * dayMs, to: now + 7 * dayMs, country: "US" }))
    assert.isTrue(events.every((event) => event.country === "US" && (event.actual === null) === event.time! > now))
    assert.strictEqual(
      events.find((event) => event.name === "FOMC Rate Decision")!.actual,
      getPolicyRate(world, "US", now)
    )
    assert.strictEqual((yield* readValue(macro.yieldCurve("KR"))).country, "KR")
    const other = makeMacroCalendar(makeWorld(9))
    assert.deepStrictEqual(
      yield* readValue(other.events({ from: now - 7 * dayMs, to: now + 7 * dayMs, country: "US" })),
      events
    )
  }), 60_000)
