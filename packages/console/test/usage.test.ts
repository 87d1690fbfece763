import { describe, expect, it, onTestFinished, vi } from "vitest"
import { makeCalendar } from "../browser/pages/usage/calendar.ts"
import { addMonths, countDays, listMonths } from "../browser/pages/usage/month.ts"
import { allDaysOf, axisTicks, computePace, type Day, fractionOf, plotScale } from "../browser/pages/usage/pace.ts"

const november = { month: "2026-11", renews_at: "2026-12-01T00:00:00.000Z" }
const books = (used: number, allotted = 60_000, reserved = 0, adjusted = 0) => ({
  ...november,
  credits: { allotted, adjusted, used, reserved, left: allotted + adjusted - used - reserved }
})
const the = (day: number, hour = 0): number => Date.UTC(2026, 10, day, hour)

describe("Months", () => {
  it("are added across years, and have the right number of days", () => {
    expect([addMonths("2026-12", 1), addMonths("2027-01", -1), addMonths("2026-11", -25)]).toEqual([
      "2027-01",
      "2026-12",
      "2024-10"
    ])
    expect(["2024-02", "2026-02", "2026-11", "2026-12"].map(countDays)).toEqual([29, 28, 30, 31])
  })

  it("are listed back to the first, or up to a maximum number", () => {
    expect(listMonths("2026-10", "2027-01", 24)).toEqual(["2027-01", "2026-12", "2026-11", "2026-10"])
    expect(listMonths("2020-01", "2027-01", 2)).toEqual(["2027-01", "2026-12"])
  })

  it("are shown in UTC, with their days, in a time zone where the day before still runs", () => {
    vi.stubEnv("TZ", "America/Los_Angeles")
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(new Date(the(1)).getDate()).toBe(31)
    const calendar = makeCalendar("en")
    expect([calendar.month("2026-11"), calendar.day("2026-11", 1)]).toEqual(["November 2026", "Nov 1"])
  })
})

describe("The pace", () => {
  it("is the daily use that exhausts the rest of a running month at its end", () => {
    expect(computePace(books(20_000), the(11))).toMatchObject({
      isRunning: true,
      elapsedDays: 10,
      remainingDays: 20,
      averagePerDay: 2000,
      evenPacePerDay: 2000
    })
    expect(computePace(books(20_000), the(11)).exhaustedAt).toBeUndefined()
    expect(computePace(books(30_000), the(11)).exhaustedAt).toBe(the(21))
  })

  it("averages over at least a day in the first hours of a month", () => {
    expect(computePace(books(500), the(1, 1)).averagePerDay).toBe(500)
  })

  it("is the even daily use of all credits for a past month", () => {
    expect(computePace(books(20_000), Date.UTC(2027, 0, 5))).toMatchObject({
      isRunning: false,
      remainingDays: 0,
      evenPacePerDay: 2000,
      exhaustedAt: undefined
    })
  })

  it("counts adjustments among all credits of a past month", () => {
    expect(computePace(books(20_000, 60_000, 0, -30_000), Date.UTC(2027, 0, 5)).evenPacePerDay).toBe(1000)
  })

  it("limits a clock in another month to the ends of the month", () => {
    expect(computePace(books(10), Date.UTC(2020, 0, 1))).toMatchObject({
      isRunning: true,
      elapsedDays: 0,
      averagePerDay: 10
    })
  })

  it("uses at most the credits left, and predicts exhaustion only within the month", () => {
    const amounts = [0, 1, 59, 20_000, 59_999, 60_000]
    for (const usedCredits of amounts) {
      for (const reserved of amounts) {
        for (const now of [the(1), the(1, 5), the(2), the(15, 13), the(30), the(30, 23)]) {
          const pace = computePace(books(usedCredits, 60_000, reserved), now)
          expect(pace.evenPacePerDay * pace.remainingDays).toBeCloseTo(Math.max(60_000 - usedCredits - reserved, 0), 4)
          if (pace.exhaustedAt !== undefined) {
            expect(pace.exhaustedAt).toBeGreaterThanOrEqual(now)
            expect(pace.exhaustedAt).toBeLessThan(Date.parse(november.renews_at))
          }
        }
      }
    }
  })
})

describe("The days of a month", () => {
  const dayUsage = { day: "2026-11-03", calls: 4, failed: 1, credits: 12 }

  it("include every day, and mark future days unless they have usage", () => {
    const days = allDaysOf({ ...books(12), days: [dayUsage] }, the(2, 12))
    expect(days).toHaveLength(30)
    expect(days.slice(0, 4)).toEqual([
      { day: 1, calls: 0, failed: 0, credits: 0, isFuture: false },
      { day: 2, calls: 0, failed: 0, credits: 0, isFuture: false },
      { day: 3, calls: 4, failed: 1, credits: 12, isFuture: false },
      { day: 4, calls: 0, failed: 0, credits: 0, isFuture: true }
    ])
    expect(allDaysOf({ ...books(12), days: [dayUsage] }, Date.UTC(2027, 1, 1)).some(({ isFuture }) => isFuture)).toBe(
      false
    )
  })
})

describe("A plot of days", () => {
  const day = (credits: number): Day => ({ day: 1, calls: 1, failed: 0, credits, isFuture: false })

  it("is scaled to the largest day and the pace, unless the pace is far above all days", () => {
    expect(plotScale([day(100), day(40)], 250)).toEqual({ max: 270, isEvenPaceVisible: true })
    expect(plotScale([day(100)], 2000)).toEqual({ max: 135, isEvenPaceVisible: false })
    expect(plotScale([], 2000)).toEqual({ max: 2160, isEvenPaceVisible: true })
  })

  it("has at most five ticks, at round whole values within its scale", () => {
    expect(axisTicks(1080)).toEqual([0, 500, 1000])
    expect(axisTicks(4.32)).toEqual([0, 2, 4])
    expect(axisTicks(0)).toEqual([0])
    for (const power of Array(9).keys()) {
      for (const top of [4, 5.4, 9.99, 10, 12.5, 24, 25, 39.9].map((one) => one * 10 ** power)) {
        const ticks = axisTicks(top)
        expect(ticks.length).toBeGreaterThan(1)
        expect(ticks.length).toBeLessThanOrEqual(5)
        expect(ticks.at(-1)!).toBeLessThanOrEqual(top * (1 + 1e-9))
        expect(ticks.every(Number.isInteger)).toBe(true)
      }
    }
  })
})

it("returns 0 for a fraction of zero", () => {
  expect([fractionOf(1, 4), fractionOf(0, 0), fractionOf(3, 0)]).toEqual([0.25, 0, 0])
})
