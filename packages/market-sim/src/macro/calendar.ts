/** The economic calendar: figures and decisions by time, as known at a given time. */
import { dayMs, type EconomicEvent, weekMs } from "@tapeline/core/market"
import type { World } from "../world.ts"
import { localTime } from "./dates.ts"
import { activity, type Area, shock } from "./economy.ts"
import { type Figure, figures } from "./figures.ts"
import { beforeHoliday } from "./holidays.ts"
import { banks, meetingsOf } from "./policy.ts"

/** The time before an event at which forecasters publish a consensus. */
const consensusMs = 14 * dayMs

const areas: ReadonlyArray<Area> = ["US", "KR", "EU", "GB", "JP", "CN"]

const rounded = (x: number, decimals: number): number => {
  const value = Math.round(x * 10 ** decimals) / 10 ** decimals
  return value === 0 ? 0 : value
}

/** An event with all its values, including those that are not published yet. */
export interface Release {
  readonly time: number
  readonly country: Area
  readonly name: string
  readonly importance: EconomicEvent["importance"]
  readonly unit: string
  readonly forecast: number
  readonly actual: number
  readonly previous: number
  readonly previousAt: number
}

const figureReleases = (world: World, figure: Figure, from: number, to: number): ReadonlyArray<Release> => {
  const found: Array<Release> = []
  const start = new Date(from - 5 * dayMs)
  // A quarterly figure's previous release is at most four months back: from December to April.
  const first = start.getUTCFullYear() * 12 + start.getUTCMonth() - 4
  const end = new Date(to + dayMs)
  const last = end.getUTCFullYear() * 12 + end.getUTCMonth()
  let before: { readonly time: number; readonly actual: number } | undefined
  for (let index = first; index <= last; index++) {
    const day = figure.day(Math.floor(index / 12), index % 12 + 1)
    if (day === undefined) continue
    const time = localTime(figure.clock, day, figure.hours)
    const actual = rounded(figure.value(world, time, index), figure.decimals)
    if (before !== undefined && time >= from && time < to) {
      const miss = 0.8 * figure.surprise * shock(world, figure.area, `${figure.name} forecast`, index)
      found.push({
        time,
        country: figure.area,
        name: figure.name,
        importance: figure.importance,
        unit: figure.unit,
        forecast: rounded(actual - miss, figure.decimals),
        actual,
        previous: before.actual,
        previousAt: before.time
      })
    }
    before = { time, actual }
  }
  return found
}

/** US jobless claims: Thursdays at 08:30 in New York, or the day before if Thursday is a federal holiday. */
const claims = (world: World, from: number, to: number): ReadonlyArray<Release> => {
  const valueOf = (week: number, time: number): number =>
    Math.round(226 - 11 * activity(world, "US", time) + 7 * shock(world, "US", "claims", week))
  const found: Array<Release> = []
  // 1970-01-01 was a Thursday.
  // A holiday can move the release of a Thursday after the window into the window.
  for (let week = Math.floor(from / weekMs) - 1; week <= Math.floor(to / weekMs) + 1; week++) {
    const time = localTime("new_york", beforeHoliday("US", week * 7), 8.5)
    if (time < from || time >= to) continue
    const actual = valueOf(week, time)
    const before = localTime("new_york", beforeHoliday("US", (week - 1) * 7), 8.5)
    found.push({
      time,
      country: "US",
      name: "Initial Jobless Claims",
      importance: "medium",
      unit: "thousand",
      forecast: Math.round(actual - 6 * shock(world, "US", "claims forecast", week)),
      actual,
      previous: valueOf(week - 1, before),
      previousAt: before
    })
  }
  return found
}

const decisions = (world: World, area: Area, from: number, to: number): ReadonlyArray<Release> =>
  meetingsOf(world, area, from, to).map(({ time, rate, before, expected }) => ({
    time,
    country: area,
    name: banks[area]!.name,
    importance: "high",
    unit: "%",
    forecast: expected,
    actual: rate,
    previous: before,
    // The rate is known from the last meeting on, which is assumed to be sixty days before this one.
    previousAt: time - 60 * dayMs
  }))

/** All releases with `from <= time < to`, soonest first. */
export const releases = (world: World, from: number, to: number): ReadonlyArray<Release> =>
  [
    ...figures.flatMap((figure) => figureReleases(world, figure, from, to)),
    ...areas.flatMap((area) => decisions(world, area, from, to)),
    ...claims(world, from, to)
  ].sort((a, b) => a.time - b.time || a.country.localeCompare(b.country) || a.name.localeCompare(b.name))

/** An event with a known time. */
type DatedEvent = EconomicEvent & { readonly time: number }

/** A release as known at `now`. */
export const seenAt = (release: Release, now: number): DatedEvent => ({
  date: new Date(release.time).toISOString().slice(0, 10),
  time: release.time,
  country: release.country,
  name: release.name,
  importance: release.importance,
  unit: release.unit,
  forecast: release.time - now > consensusMs ? null : release.forecast,
  previous: release.previousAt <= now ? release.previous : null,
  actual: release.time <= now ? release.actual : null
})
