/** Days since 1970-01-01 on which the offices and central banks of an area publish nothing. */
import { dayMs, dayNumber, easter, isTradingDay, weekday } from "@tapeline/core/market"
import { getNthWeekday } from "./dates.ts"
import type { EconomicArea } from "./economy.ts"

const isWeekend = (day: number): boolean => weekday(day) % 6 === 0

/**
 * Returns the day on which a holiday is observed. A holiday on a Saturday is observed on Friday, and a holiday on a
 * Sunday is observed on Monday.
 */
const getObservedDay = (day: number): number => weekday(day) === 6 ? day - 1 : weekday(day) === 0 ? day + 1 : day

/** US federal holidays. Source: 5 U.S.C. 6103; Executive Order 11582 for holidays that fall on a weekend. */
const getUsHolidays = (year: number): ReadonlyArray<number> => [
  ...[[1, 1], [6, 19], [7, 4], [11, 11], [12, 25]].map(([month, date]) =>
    getObservedDay(dayNumber(year, month!, date!))
  ),
  // New Year's Day of the next year may be observed in the current year.
  getObservedDay(dayNumber(year + 1, 1, 1)),
  getNthWeekday(year, 1, 1, 3),
  getNthWeekday(year, 2, 1, 3),
  getNthWeekday(year, 5, 1, -1),
  getNthWeekday(year, 9, 1, 1),
  getNthWeekday(year, 10, 1, 2),
  getNthWeekday(year, 11, 4, 4)
]

/**
 * Returns the holidays of Europe and Great Britain. Source: closing days of the ECB's TARGET system. The list omits
 * other British bank holidays, because no British figure is released on these days.
 */
const getEuropeanHolidays = (year: number): ReadonlyArray<number> => [
  dayNumber(year, 1, 1),
  easter(year) - 2,
  easter(year) + 1,
  dayNumber(year, 12, 25),
  dayNumber(year, 12, 26)
]

/** Returns the date of an equinox in Japan for 1980 to 2099, by the formula of the Japan Coast Guard's almanac. */
const getEquinox = (year: number, start: number): number =>
  Math.floor(start + 0.242194 * (year - 1980) - Math.floor((year - 1980) / 4))

/**
 * Returns Japan's national holidays (Act on National Holidays, 1948), 31 December and the first three days of January.
 * The list omits extra holidays between two holidays (article 3 (3)), because no Japanese figure is released on these
 * days.
 */
const getJapaneseHolidays = (year: number): ReadonlyArray<number> => {
  const fixed = [
    [1, 1],
    [2, 11],
    [2, 23],
    [3, getEquinox(year, 20.8431)],
    [4, 29],
    [5, 3],
    [5, 4],
    [5, 5],
    [8, 11],
    [9, getEquinox(year, 23.2488)],
    [11, 3],
    [11, 23]
  ].map(([month, date]) => dayNumber(year, month!, date!))
  const substitutes = fixed.filter((day) => weekday(day) === 0).map((sunday) => {
    let day = sunday + 1
    while (fixed.includes(day)) day++
    return day
  })
  return [
    ...fixed,
    ...substitutes,
    dayNumber(year, 1, 2),
    dayNumber(year, 1, 3),
    dayNumber(year, 12, 31),
    getNthWeekday(year, 1, 1, 2),
    getNthWeekday(year, 7, 1, 3),
    getNthWeekday(year, 9, 1, 3),
    getNthWeekday(year, 10, 1, 2)
  ]
}

/**
 * Returns whether a day is a Korean public holiday on a weekday, without days on which only the Seoul exchange is
 * closed.
 */
const isKoreanHoliday = (day: number): boolean => {
  const date = new Date(day * dayMs)
  const isYearEnd = date.getUTCMonth() === 11 && date.getUTCDate() > 25
  const year = date.getUTCFullYear()
  const isExchangeOnly = isYearEnd || (year < 2026 && day === dayNumber(year, 5, 1))
  return !isExchangeOnly && !isWeekend(day) && !isTradingDay("KR", day)
}

/** Returns whether the statistics offices of an area publish nothing on a weekday because of a holiday. */
export const isHoliday = (area: EconomicArea, day: number): boolean => {
  const year = new Date(day * dayMs).getUTCFullYear()
  switch (area) {
    case "US":
      return getUsHolidays(year).includes(day)
    case "EU":
      return day === dayNumber(year, 5, 1) || getEuropeanHolidays(year).includes(day)
    case "GB":
      return getEuropeanHolidays(year).includes(day)
    case "JP":
      return getJapaneseHolidays(year).includes(day)
    case "KR":
      return isKoreanHoliday(day)
    case "CN":
      // Chinese offices also publish figures on holidays.
      return false
  }
}

export const getOfficeDayOnOrBefore = (area: EconomicArea, day: number): number => {
  let workday = day
  while (isHoliday(area, workday) || isWeekend(workday)) workday--
  return workday
}

export const getOfficeDayOnOrAfter = (area: EconomicArea, day: number): number => {
  let workday = day
  while (isHoliday(area, workday) || isWeekend(workday)) workday++
  return workday
}
