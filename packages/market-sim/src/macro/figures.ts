/** The published figures of the calendar: their release dates and their values. */
import { dayMs, dayNumber } from "@tapeline/core/market"
import type { World } from "../world.ts"
import { type Clock, lastWorkday, nthWeekday, workday } from "./dates.ts"
import { activity, type Area, inflation, shock, unemployment } from "./economy.ts"
import { afterHoliday, beforeHoliday } from "./holidays.ts"

export interface Figure {
  readonly area: Area
  readonly name: string
  readonly importance: "low" | "medium" | "high"
  readonly unit: string
  readonly decimals: number
  readonly clock: Clock
  readonly hours: number
  /** The day of the release in a month (1 to 12). Undefined for a month without a release. */
  readonly day: (year: number, month: number) => number | undefined
  /** The value at a release. `index` counts releases (months). */
  readonly value: (world: World, time: number, index: number) => number
  /** The standard deviation of the actual figure around its forecast. */
  readonly surprise: number
}

type Value = Figure["value"]

/** The yearly inflation as of the month before the release. */
const yearly = (area: Area, name: string, add: number, own: number): Value => (world, time, index) =>
  inflation(world, area, time - 25 * dayMs) + add + own * shock(world, area, name, index)

const monthly = (area: Area, name: string, scale: number, own: number): Value => (world, time, index) =>
  inflation(world, area, time - 25 * dayMs) / 12 * scale + own * shock(world, area, name, index)

/** A figure that moves with activity: a level, the effect of a boom, and independent noise. */
const cyclical = (area: Area, name: string, level: number, boom: number, own: number): Value => (world, time, index) =>
  level + boom * activity(world, area, time - 25 * dayMs) + own * shock(world, area, name, index)

const jobless = (area: Area): Value => (world, time, index) =>
  unemployment(world, area, time - 20 * dayMs) + 0.06 * shock(world, area, "jobless", index)

const on = (date: number) => (year: number, month: number): number => workday(year, month, date)
const firstFriday = (year: number, month: number): number => {
  const friday = nthWeekday(year, month, 5, 1)
  // The day before New Year's Day would be in another month.
  return friday === dayNumber(year, 1, 1) ? friday + 7 : beforeHoliday("US", friday)
}
const quarterly = (months: ReadonlyArray<number>, date: number) => (year: number, month: number): number | undefined =>
  months.includes(month) ? workday(year, month, date) : undefined

/** The release dates of the Tankan: the first working days of April, July and October, and the middle of December. */
const tankan = (year: number, month: number): number | undefined =>
  month === 12 ? workday(year, month, 13) : quarterly([4, 7, 10], 1)(year, month)

/** Moves releases from days on which the publishing offices are closed to the next working day. */
const outsideHolidays = (area: Area, dayOf: Figure["day"]): Figure["day"] => (year, month) => {
  const day = dayOf(year, month)
  return day === undefined ? undefined : afterHoliday(area, day)
}

type Row = readonly [
  name: string,
  importance: Figure["importance"],
  unit: string,
  decimals: number,
  clock: Clock,
  hours: number,
  day: Figure["day"],
  value: Value,
  surprise: number
]

const rows: Readonly<Record<Area, ReadonlyArray<Row>>> = {
  US: [
    ["CPI YoY", "high", "%", 1, "new_york", 8.5, on(12), yearly("US", "CPI YoY", 0, 0.08), 0.1],
    ["CPI MoM", "high", "%", 1, "new_york", 8.5, on(12), monthly("US", "CPI MoM", 1, 0.09), 0.1],
    ["Core CPI YoY", "high", "%", 1, "new_york", 8.5, on(12), yearly("US", "Core CPI", 0.3, 0.06), 0.1],
    [
      "Nonfarm Payrolls",
      "high",
      "thousand",
      0,
      "new_york",
      8.5,
      firstFriday,
      cyclical("US", "Payrolls", 110, 80, 55),
      55
    ],
    ["Unemployment Rate", "high", "%", 1, "new_york", 8.5, firstFriday, jobless("US"), 0.1],
    [
      "Average Hourly Earnings YoY",
      "medium",
      "%",
      1,
      "new_york",
      8.5,
      firstFriday,
      cyclical("US", "Earnings", 3.8, 0.3, 0.1),
      0.1
    ],
    ["PPI MoM", "medium", "%", 1, "new_york", 8.5, on(13), monthly("US", "PPI", 0.9, 0.2), 0.2],
    ["Retail Sales MoM", "medium", "%", 1, "new_york", 8.5, on(15), cyclical("US", "Retail", 0.3, 0.25, 0.4), 0.35],
    [
      "Core PCE YoY",
      "high",
      "%",
      1,
      "new_york",
      8.5,
      (year, month) => nthWeekday(year, month, 5, -1),
      yearly("US", "Core PCE", 0, 0.05),
      0.08
    ],
    [
      "GDP QoQ Annualised (Advance)",
      "high",
      "%",
      1,
      "new_york",
      8.5,
      quarterly([1, 4, 7, 10], 29),
      cyclical("US", "GDP", 2.1, 1.1, 0.5),
      0.5
    ],
    [
      "ISM Manufacturing PMI",
      "medium",
      "points",
      1,
      "new_york",
      10,
      on(1),
      cyclical("US", "ISM Manufacturing", 50, 2.4, 0.9),
      0.9
    ],
    [
      "ISM Services PMI",
      "medium",
      "points",
      1,
      "new_york",
      10,
      on(4),
      cyclical("US", "ISM Services", 52.3, 1.9, 0.9),
      0.9
    ],
    [
      "Michigan Consumer Sentiment",
      "low",
      "points",
      1,
      "new_york",
      10,
      (year, month) => nthWeekday(year, month, 5, 2),
      cyclical("US", "Michigan", 66, 7, 2.2),
      2.2
    ],
    ["JOLTS Job Openings", "low", "million", 2, "new_york", 10, on(3), cyclical("US", "JOLTS", 7.3, 0.5, 0.15), 0.15]
  ],
  KR: [
    ["CPI YoY", "high", "%", 1, "seoul", 8, on(2), yearly("KR", "CPI", 0, 0.1), 0.1],
    ["Exports YoY", "high", "%", 1, "seoul", 9, on(1), cyclical("KR", "Exports", 5, 7, 3), 2.5],
    ["Trade Balance", "medium", "billion USD", 1, "seoul", 9, on(1), cyclical("KR", "Trade", 5.5, 2, 1.4), 1.2],
    ["Exports of First 20 Days YoY", "medium", "%", 1, "seoul", 9, on(21), cyclical("KR", "Exports20", 5, 7, 5), 4],
    ["Unemployment Rate", "medium", "%", 1, "seoul", 8, on(11), jobless("KR"), 0.1],
    [
      "Industrial Production MoM",
      "low",
      "%",
      1,
      "seoul",
      8,
      lastWorkday,
      cyclical("KR", "Industry", 0.2, 0.5, 1.2),
      1.1
    ],
    [
      "GDP QoQ (Advance)",
      "high",
      "%",
      1,
      "seoul",
      8,
      quarterly([1, 4, 7, 10], 24),
      cyclical("KR", "GDP", 0.5, 0.35, 0.25),
      0.2
    ],
    ["Consumer Sentiment", "low", "points", 1, "seoul", 6, on(24), cyclical("KR", "Sentiment", 101, 5, 1.8), 1.8]
  ],
  EU: [
    ["HICP Flash YoY", "high", "%", 1, "frankfurt", 11, on(1), yearly("EU", "HICP", 0, 0.08), 0.1],
    [
      "Manufacturing PMI (Flash)",
      "medium",
      "points",
      1,
      "frankfurt",
      10,
      on(22),
      cyclical("EU", "PMI", 49.6, 2, 0.7),
      0.7
    ],
    [
      "GDP QoQ (Flash)",
      "medium",
      "%",
      1,
      "frankfurt",
      11,
      quarterly([1, 4, 7, 10], 30),
      cyclical("EU", "GDP", 0.3, 0.25, 0.12),
      0.1
    ],
    ["Unemployment Rate", "low", "%", 1, "frankfurt", 11, on(3), jobless("EU"), 0.1],
    [
      "ZEW Economic Sentiment",
      "low",
      "points",
      1,
      "frankfurt",
      11,
      (year, month) => nthWeekday(year, month, 2, 2),
      cyclical("EU", "ZEW", 18, 18, 6),
      6
    ]
  ],
  GB: [
    [
      "CPI YoY",
      "medium",
      "%",
      1,
      "london",
      7,
      (year, month) => nthWeekday(year, month, 3, 3),
      yearly("GB", "CPI", 0, 0.1),
      0.1
    ],
    ["GDP MoM", "low", "%", 1, "london", 7, on(13), cyclical("GB", "GDP", 0.1, 0.15, 0.15), 0.15]
  ],
  JP: [
    [
      "National Core CPI YoY",
      "medium",
      "%",
      1,
      "tokyo",
      8.5,
      (year, month) => nthWeekday(year, month, 5, 3),
      yearly("JP", "CPI", 0, 0.1),
      0.1
    ],
    [
      "Tankan Large Manufacturers",
      "medium",
      "points",
      0,
      "tokyo",
      8 + 50 / 60,
      tankan,
      cyclical("JP", "Tankan", 12, 6, 2),
      2
    ]
  ],
  CN: [
    ["CPI YoY", "medium", "%", 1, "beijing", 9.5, on(10), yearly("CN", "CPI", 0, 0.15), 0.15],
    [
      "Manufacturing PMI",
      "medium",
      "points",
      1,
      "beijing",
      9.5,
      lastWorkday,
      cyclical("CN", "PMI", 49.9, 0.8, 0.3),
      0.3
    ],
    ["Exports YoY", "medium", "%", 1, "beijing", 11, on(9), cyclical("CN", "Exports", 5, 5, 3), 2.5]
  ]
}

// The keys of the rows are areas.
const areas = Object.keys(rows) as ReadonlyArray<Area>

export const figures: ReadonlyArray<Figure> = areas.flatMap((area) =>
  rows[area].map(([name, importance, unit, decimals, clock, hours, day, value, surprise]) => ({
    area,
    name,
    importance,
    unit,
    decimals,
    clock,
    hours,
    day: area === "CN" ? day : outsideHolidays(area, day),
    value,
    surprise
  }))
)
