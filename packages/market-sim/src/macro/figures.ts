/** The figures of the economic calendar: their release dates and values. */
import { dayMs, dayNumber } from "@tapeline/core/market"
import type { World } from "../world.ts"
import { getLastWorkday, getNthWeekday, getWorkdayOnOrAfter, type TimeZone } from "./dates.ts"
import { drawShock, type EconomicArea, getActivity, getInflation, getUnemployment } from "./economy.ts"
import { getOfficeDayOnOrAfter, getOfficeDayOnOrBefore } from "./holidays.ts"

export interface Figure {
  readonly area: EconomicArea
  readonly name: string
  readonly importance: "low" | "medium" | "high"
  readonly unit: string
  readonly decimals: number
  readonly timeZone: TimeZone
  readonly hours: number
  /** Returns the release day in a month (1 to 12), or undefined if the figure is not released in the month. */
  readonly day: (year: number, month: number) => number | undefined
  /**
   * Returns the value of the figure at a release. `index` is 12 times the release's year plus its month, from 0 to 11.
   */
  readonly value: (world: World, time: number, index: number) => number
  /** The standard deviation of the actual figure from its forecast. */
  readonly surpriseSd: number
}

type FigureValue = Figure["value"]

/** Creates an annual inflation figure. Each release reports the inflation of the previous month. */
const makeYearlyInflation =
  (area: EconomicArea, name: string, offset: number, noiseScale: number): FigureValue => (world, time, index) =>
    getInflation(world, area, time - 25 * dayMs) + offset + noiseScale * drawShock(world, area, name, index)

const makeMonthlyInflation =
  (area: EconomicArea, name: string, scale: number, noiseScale: number): FigureValue => (world, time, index) =>
    getInflation(world, area, time - 25 * dayMs) / 12 * scale + noiseScale * drawShock(world, area, name, index)

/** Creates a figure that moves with economic activity: a level, the effect of a boom, and independent noise. */
const makeCyclical =
  (area: EconomicArea, name: string, level: number, activityEffect: number, noiseScale: number): FigureValue =>
  (world, time, index) =>
    level + activityEffect * getActivity(world, area, time - 25 * dayMs) +
    noiseScale * drawShock(world, area, name, index)

const makeUnemployment = (area: EconomicArea): FigureValue => (world, time, index) =>
  getUnemployment(world, area, time - 20 * dayMs) + 0.06 * drawShock(world, area, "jobless", index)

const onWorkdayOf = (date: number) => (year: number, month: number): number => getWorkdayOnOrAfter(year, month, date)
const getFirstFriday = (year: number, month: number): number => {
  const friday = getNthWeekday(year, month, 5, 1)
  // If the first Friday is New Year's Day, the release moves a week later, because the working day before is in another
  // month.
  return friday === dayNumber(year, 1, 1) ? friday + 7 : getOfficeDayOnOrBefore("US", friday)
}
const onWorkdayOfQuarter =
  (months: ReadonlyArray<number>, date: number) => (year: number, month: number): number | undefined =>
    months.includes(month) ? getWorkdayOnOrAfter(year, month, date) : undefined

/** Returns the release day of the Tankan: the first working day of April, July and October, and mid-December. */
const getTankanDay = (year: number, month: number): number | undefined =>
  month === 12 ? getWorkdayOnOrAfter(year, month, 13) : onWorkdayOfQuarter([4, 7, 10], 1)(year, month)

/** Moves releases from holidays of the publishing offices to the next working day. */
const avoidHolidays = (area: EconomicArea, getDay: Figure["day"]): Figure["day"] => (year, month) => {
  const day = getDay(year, month)
  return day === undefined ? undefined : getOfficeDayOnOrAfter(area, day)
}

type FigureRow = readonly [
  name: string,
  importance: Figure["importance"],
  unit: string,
  decimals: number,
  clock: TimeZone,
  hours: number,
  day: Figure["day"],
  value: FigureValue,
  surprise: number
]

const rows: Readonly<Record<EconomicArea, ReadonlyArray<FigureRow>>> = {
  US: [
    ["CPI YoY", "high", "%", 1, "new_york", 8.5, onWorkdayOf(12), makeYearlyInflation("US", "CPI YoY", 0, 0.08), 0.1],
    ["CPI MoM", "high", "%", 1, "new_york", 8.5, onWorkdayOf(12), makeMonthlyInflation("US", "CPI MoM", 1, 0.09), 0.1],
    [
      "Core CPI YoY",
      "high",
      "%",
      1,
      "new_york",
      8.5,
      onWorkdayOf(12),
      makeYearlyInflation("US", "Core CPI", 0.3, 0.06),
      0.1
    ],
    [
      "Nonfarm Payrolls",
      "high",
      "thousand",
      0,
      "new_york",
      8.5,
      getFirstFriday,
      makeCyclical("US", "Payrolls", 110, 80, 55),
      55
    ],
    ["Unemployment Rate", "high", "%", 1, "new_york", 8.5, getFirstFriday, makeUnemployment("US"), 0.1],
    [
      "Average Hourly Earnings YoY",
      "medium",
      "%",
      1,
      "new_york",
      8.5,
      getFirstFriday,
      makeCyclical("US", "Earnings", 3.8, 0.3, 0.1),
      0.1
    ],
    ["PPI MoM", "medium", "%", 1, "new_york", 8.5, onWorkdayOf(13), makeMonthlyInflation("US", "PPI", 0.9, 0.2), 0.2],
    [
      "Retail Sales MoM",
      "medium",
      "%",
      1,
      "new_york",
      8.5,
      onWorkdayOf(15),
      makeCyclical("US", "Retail", 0.3, 0.25, 0.4),
      0.35
    ],
    [
      "Core PCE YoY",
      "high",
      "%",
      1,
      "new_york",
      8.5,
      (year, month) => getNthWeekday(year, month, 5, -1),
      makeYearlyInflation("US", "Core PCE", 0, 0.05),
      0.08
    ],
    [
      "GDP QoQ Annualised (Advance)",
      "high",
      "%",
      1,
      "new_york",
      8.5,
      onWorkdayOfQuarter([1, 4, 7, 10], 29),
      makeCyclical("US", "GDP", 2.1, 1.1, 0.5),
      0.5
    ],
    [
      "ISM Manufacturing PMI",
      "medium",
      "points",
      1,
      "new_york",
      10,
      onWorkdayOf(1),
      makeCyclical("US", "ISM Manufacturing", 50, 2.4, 0.9),
      0.9
    ],
    [
      "ISM Services PMI",
      "medium",
      "points",
      1,
      "new_york",
      10,
      onWorkdayOf(4),
      makeCyclical("US", "ISM Services", 52.3, 1.9, 0.9),
      0.9
    ],
    [
      "Michigan Consumer Sentiment",
      "low",
      "points",
      1,
      "new_york",
      10,
      (year, month) => getNthWeekday(year, month, 5, 2),
      makeCyclical("US", "Michigan", 66, 7, 2.2),
      2.2
    ],
    [
      "JOLTS Job Openings",
      "low",
      "million",
      2,
      "new_york",
      10,
      onWorkdayOf(3),
      makeCyclical("US", "JOLTS", 7.3, 0.5, 0.15),
      0.15
    ]
  ],
  KR: [
    ["CPI YoY", "high", "%", 1, "seoul", 8, onWorkdayOf(2), makeYearlyInflation("KR", "CPI", 0, 0.1), 0.1],
    ["Exports YoY", "high", "%", 1, "seoul", 9, onWorkdayOf(1), makeCyclical("KR", "Exports", 5, 7, 3), 2.5],
    [
      "Trade Balance",
      "medium",
      "billion USD",
      1,
      "seoul",
      9,
      onWorkdayOf(1),
      makeCyclical("KR", "Trade", 5.5, 2, 1.4),
      1.2
    ],
    [
      "Exports of First 20 Days YoY",
      "medium",
      "%",
      1,
      "seoul",
      9,
      onWorkdayOf(21),
      makeCyclical("KR", "Exports20", 5, 7, 5),
      4
    ],
    ["Unemployment Rate", "medium", "%", 1, "seoul", 8, onWorkdayOf(11), makeUnemployment("KR"), 0.1],
    [
      "Industrial Production MoM",
      "low",
      "%",
      1,
      "seoul",
      8,
      getLastWorkday,
      makeCyclical("KR", "Industry", 0.2, 0.5, 1.2),
      1.1
    ],
    [
      "GDP QoQ (Advance)",
      "high",
      "%",
      1,
      "seoul",
      8,
      onWorkdayOfQuarter([1, 4, 7, 10], 24),
      makeCyclical("KR", "GDP", 0.5, 0.35, 0.25),
      0.2
    ],
    [
      "Consumer Sentiment",
      "low",
      "points",
      1,
      "seoul",
      6,
      onWorkdayOf(24),
      makeCyclical("KR", "Sentiment", 101, 5, 1.8),
      1.8
    ]
  ],
  EU: [
    [
      "HICP Flash YoY",
      "high",
      "%",
      1,
      "frankfurt",
      11,
      onWorkdayOf(1),
      makeYearlyInflation("EU", "HICP", 0, 0.08),
      0.1
    ],
    [
      "Manufacturing PMI (Flash)",
      "medium",
      "points",
      1,
      "frankfurt",
      10,
      onWorkdayOf(22),
      makeCyclical("EU", "PMI", 49.6, 2, 0.7),
      0.7
    ],
    [
      "GDP QoQ (Flash)",
      "medium",
      "%",
      1,
      "frankfurt",
      11,
      onWorkdayOfQuarter([1, 4, 7, 10], 30),
      makeCyclical("EU", "GDP", 0.3, 0.25, 0.12),
      0.1
    ],
    ["Unemployment Rate", "low", "%", 1, "frankfurt", 11, onWorkdayOf(3), makeUnemployment("EU"), 0.1],
    [
      "ZEW Economic Sentiment",
      "low",
      "points",
      1,
      "frankfurt",
      11,
      (year, month) => getNthWeekday(year, month, 2, 2),
      makeCyclical("EU", "ZEW", 18, 18, 6),
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
      (year, month) => getNthWeekday(year, month, 3, 3),
      makeYearlyInflation("GB", "CPI", 0, 0.1),
      0.1
    ],
    ["GDP MoM", "low", "%", 1, "london", 7, onWorkdayOf(13), makeCyclical("GB", "GDP", 0.1, 0.15, 0.15), 0.15]
  ],
  JP: [
    [
      "National Core CPI YoY",
      "medium",
      "%",
      1,
      "tokyo",
      8.5,
      (year, month) => getNthWeekday(year, month, 5, 3),
      makeYearlyInflation("JP", "CPI", 0, 0.1),
      0.1
    ],
    [
      "Tankan Large Manufacturers",
      "medium",
      "points",
      0,
      "tokyo",
      8 + 50 / 60,
      getTankanDay,
      makeCyclical("JP", "Tankan", 12, 6, 2),
      2
    ]
  ],
  CN: [
    ["CPI YoY", "medium", "%", 1, "beijing", 9.5, onWorkdayOf(10), makeYearlyInflation("CN", "CPI", 0, 0.15), 0.15],
    [
      "Manufacturing PMI",
      "medium",
      "points",
      1,
      "beijing",
      9.5,
      getLastWorkday,
      makeCyclical("CN", "PMI", 49.9, 0.8, 0.3),
      0.3
    ],
    ["Exports YoY", "medium", "%", 1, "beijing", 11, onWorkdayOf(9), makeCyclical("CN", "Exports", 5, 5, 3), 2.5]
  ]
}

// `Object.keys` returns strings, but the keys of `rows` are areas.
const areas = Object.keys(rows) as ReadonlyArray<EconomicArea>

export const figures: ReadonlyArray<Figure> = areas.flatMap((area) =>
  rows[area].map(([name, importance, unit, decimals, timeZone, hours, day, value, surpriseSd]) => ({
    area,
    name,
    importance,
    unit,
    decimals,
    timeZone,
    hours,
    day: area === "CN" ? day : avoidHolidays(area, day),
    value,
    surpriseSd
  }))
)
