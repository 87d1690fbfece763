/**
 * The days on which the Korea Exchange does not trade or trades at other hours. Rules determine most of these days.
 * Days that no rule predicts are listed by date.
 *
 * Sources of the rules:
 * - The Act on Public Holidays and its decree define the public holidays. Substitute days exist for feasts since 2014,
 *   for national days since 2021, and for Christmas and Buddha's birthday since 2023. Constitution Day and Labour Day
 *   are holidays with substitutes since 2026. The laws that made Constitution Day and Labour Day holidays were
 *   promulgated on 10 February and in April 2026.
 * - The business rules of KRX close the exchange on Labour Day before 2026 and on the last day of the year. KRX opens
 *   later on the year's first trading day and on the day of the college entrance test.
 * - The Public Official Election Act, articles 34 and 35, for elections.
 *
 * The calendar is valid from August 2016, when the closing time moved from 15:00 to 15:30.
 */
import { dayMs } from "../timeframe.ts"
import { dayNumber, type ExchangeYear, isWeekend, parseDay, weekday, yearOfDay } from "./dates.ts"

/** Election days and one-time holidays. The list must be extended when a decree adds an election day or a holiday. */
const closures: ReadonlyArray<string> = [
  "2017-05-09",
  "2017-10-02",
  "2018-06-13",
  "2020-04-15",
  "2020-08-17",
  "2022-03-09",
  "2022-06-01",
  "2023-10-02",
  "2024-04-10",
  "2024-10-01",
  "2025-01-27",
  "2025-06-03",
  "2026-06-03",
  "2028-04-12",
  "2030-03-27",
  "2030-06-12"
]

/**
 * The days of the Korean college entrance test. On the days of the college entrance test, the session opens and closes
 * an hour later.
 */
const entranceTests: ReadonlyArray<string> = [
  "2016-11-17",
  "2017-11-23",
  "2018-11-15",
  "2019-11-14",
  "2020-12-03",
  "2021-11-18",
  "2022-11-17",
  "2023-11-16",
  "2024-11-14",
  "2025-11-13",
  "2026-11-19",
  "2027-11-18"
]

/**
 * The formatter of the Korean lunar calendar. The formatter is created on first use, because loading the calendar is
 * slow.
 */
let lunarFormat: Intl.DateTimeFormat | undefined
const lunarParts = (day: number): ReadonlyArray<Intl.DateTimeFormatPart> => {
  lunarFormat ??= new Intl.DateTimeFormat("en-u-ca-dangi", { timeZone: "UTC", month: "numeric", day: "numeric" })
  return lunarFormat.formatToParts(day * dayMs)
}

/** Returns the first day at or after `from` with the given date of the Korean lunar calendar. */
const lunarDay = (month: number, date: number, from: number): number => {
  for (let day = from;;) {
    const parts = lunarParts(day)
    const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value
    const today = Number(part("day"))
    // A leap month is written `4bis` and does not match.
    if (part("month") === String(month) && today <= date) return day + date - today
    // A lunar month has 29 or 30 days, so a step never passes the first day of the next month.
    day += Math.max(1, 30 - today)
  }
}

/**
 * The holidays of the solar calendar. `since` is the first year in which the day is a holiday. `substituted` is the
 * first year in which a substitute day replaces the holiday if it is on a weekend.
 */
const solarHolidays: ReadonlyArray<readonly [month: number, date: number, substituted: number, since: number]> = [
  [1, 1, Infinity, 0],
  [3, 1, 2021, 0],
  [5, 1, 2026, 0],
  [5, 5, 2014, 0],
  [6, 6, Infinity, 0],
  [7, 17, 2026, 2026],
  [8, 15, 2021, 0],
  [10, 3, 2021, 0],
  [10, 9, 2021, 0],
  [12, 25, 2023, 0]
]

export const krxYear = (year: number): ExchangeYear => {
  const closed = new Set<number>()
  // Holidays are processed in calendar order, so that a substitute day skips the days that are already closed.
  const holidays = solarHolidays.filter(([, , , since]) => year >= since)
    .map(([month, date, substituted]) => ({ day: dayNumber(year, month, date), substituted: year >= substituted }))
  const seollal = lunarDay(1, 1, dayNumber(year, 1, 20))
  const chuseok = lunarDay(8, 15, dayNumber(year, 9, 5))
  const buddha = lunarDay(4, 8, dayNumber(year, 4, 25))
  const feasts = [seollal, chuseok].map((day) => [day - 1, day, day + 1])
  for (const { day } of holidays) closed.add(day)
  for (const day of [...feasts.flat(), buddha]) closed.add(day)
  const addSubstituteDay = (holiday: number): void => {
    let day = holiday + 1
    while (isWeekend(day) || closed.has(day)) day++
    closed.add(day)
  }
  const isHoliday = (day: number): boolean => holidays.some((other) => other.day === day)
  // A three-day feast has a substitute day if one of its days is a Sunday or another holiday.
  for (const feast of feasts) {
    if (feast.some((day) => weekday(day) === 0 || isHoliday(day))) addSubstituteDay(feast.at(-1)!)
  }
  for (const { day, substituted } of holidays) if (substituted && isWeekend(day)) addSubstituteDay(day)
  if ((year >= 2023 && isWeekend(buddha)) || (isHoliday(buddha) && !isWeekend(buddha))) addSubstituteDay(buddha)
  for (const day of closures.map(parseDay)) if (yearOfDay(day) === year) closed.add(day)
  let last = dayNumber(year, 12, 31)
  while (isWeekend(last)) last--
  closed.add(last)
  let first = dayNumber(year, 1, 2)
  while (isWeekend(first) || closed.has(first)) first++
  const hours = new Map<number, { readonly opens: number; readonly closes?: number }>([[first, { opens: 1 }]])
  for (const day of entranceTests.map(parseDay)) if (yearOfDay(day) === year) hours.set(day, { opens: 1, closes: 1 })
  return { closed, hours }
}
