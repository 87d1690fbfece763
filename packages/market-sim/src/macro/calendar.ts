/** Simulates the economic calendar: figures and rate decisions by time, as known at a given time. */
import { dayMs, type EconomicEvent, weekMs } from "@tapeline/core/market"
import type { World } from "../world.ts"
import { toEpochMs } from "./dates.ts"
import { drawShock, type EconomicArea, getActivity } from "./economy.ts"
import { type Figure, figures } from "./figures.ts"
import { getOfficeDayOnOrBefore } from "./holidays.ts"
import { centralBanks, getMeetings } from "./policy.ts"

/** The time before an event at which forecasters publish a consensus. */
const consensusLeadMs = 14 * dayMs

const areas: ReadonlyArray<EconomicArea> = ["US", "KR", "EU", "GB", "JP", "CN"]

const roundTo = (x: number, decimals: number): number => {
  const value = Math.round(x * 10 ** decimals) / 10 ** decimals
  return value === 0 ? 0 : value
}

/** An economic event with all its values, including values that are not published yet. */
export interface Release {
  readonly time: number
  readonly country: EconomicArea
  readonly name: string
  readonly importance: EconomicEvent["importance"]
  readonly unit: string
  readonly forecast: number
  readonly actual: number
  readonly previous: number
  readonly previousAt: number
}

const makeFigureReleases = (world: World, figure: Figure, from: number, to: number): ReadonlyArray<Release> => {
  const foundReleases: Array<Release> = []
  const start = new Date(from - 5 * dayMs)
  // Consecutive releases of a quarterly figure are at most four months apart: from December to April.
  const first = start.getUTCFullYear() * 12 + start.getUTCMonth() - 4
  const end = new Date(to + dayMs)
  const last = end.getUTCFullYear() * 12 + end.getUTCMonth()
  let previousRelease: { readonly time: number; readonly actual: number } | undefined
  for (let index = first; index <= last; index++) {
    const day = figure.day(Math.floor(index / 12), index % 12 + 1)
    if (day === undefined) continue
    const time = toEpochMs(figure.timeZone, day, figure.hours)
    const actual = roundTo(figure.value(world, time, index), figure.decimals)
    if (previousRelease !== undefined && time >= from && time < to) {
      const forecastError = 0.8 * figure.surpriseSd * drawShock(world, figure.area, `${figure.name} forecast`, index)
      foundReleases.push({
        time,
        country: figure.area,
        name: figure.name,
        importance: figure.importance,
        unit: figure.unit,
        forecast: roundTo(actual - forecastError, figure.decimals),
        actual,
        previous: previousRelease.actual,
        previousAt: previousRelease.time
      })
    }
    previousRelease = { time, actual }
  }
  return foundReleases
}

/**
 * Returns the releases of US jobless claims. A release is on Thursday at 08:30 in New York. If Thursday is a federal
 * holiday, the release is on the working day before.
 */
const makeJoblessClaims = (world: World, from: number, to: number): ReadonlyArray<Release> => {
  const getClaims = (week: number, time: number): number =>
    Math.round(226 - 11 * getActivity(world, "US", time) + 7 * drawShock(world, "US", "claims", week))
  const foundReleases: Array<Release> = []
  // Weeks begin on Thursday, like 1970-01-01, and a holiday can move a later release into the interval.
  for (let week = Math.floor(from / weekMs) - 1; week <= Math.floor(to / weekMs) + 1; week++) {
    const time = toEpochMs("new_york", getOfficeDayOnOrBefore("US", week * 7), 8.5)
    if (time < from || time >= to) continue
    const actual = getClaims(week, time)
    const previousRelease = toEpochMs("new_york", getOfficeDayOnOrBefore("US", (week - 1) * 7), 8.5)
    foundReleases.push({
      time,
      country: "US",
      name: "Initial Jobless Claims",
      importance: "medium",
      unit: "thousand",
      forecast: Math.round(actual - 6 * drawShock(world, "US", "claims forecast", week)),
      actual,
      previous: getClaims(week - 1, previousRelease),
      previousAt: previousRelease
    })
  }
  return foundReleases
}

const makeRateDecisions = (world: World, area: EconomicArea, from: number, to: number): ReadonlyArray<Release> =>
  getMeetings(world, area, from, to).map(({ time, rate, previousRate, expectedRate }) => ({
    time,
    country: area,
    name: centralBanks[area]!.name,
    importance: "high",
    unit: "%",
    forecast: expectedRate,
    actual: rate,
    previous: previousRate,
    // The previous meeting is assumed to be sixty days earlier.
    previousAt: time - 60 * dayMs
  }))

export const getReleases = (world: World, from: number, to: number): ReadonlyArray<Release> =>
  [
    ...figures.flatMap((figure) => makeFigureReleases(world, figure, from, to)),
    ...areas.flatMap((area) => makeRateDecisions(world, area, from, to)),
    ...makeJoblessClaims(world, from, to)
  ].sort((a, b) => a.time - b.time || a.country.localeCompare(b.country) || a.name.localeCompare(b.name))

type DatedEvent = EconomicEvent & { readonly time: number }

/** Converts a release to an economic event, without the values that are unknown at `now`. */
export const toKnownEvent = (release: Release, now: number): DatedEvent => ({
  date: new Date(release.time).toISOString().slice(0, 10),
  time: release.time,
  country: release.country,
  name: release.name,
  importance: release.importance,
  unit: release.unit,
  forecast: release.time - now > consensusLeadMs ? null : release.forecast,
  previous: release.previousAt <= now ? release.previous : null,
  actual: release.time <= now ? release.actual : null
})
