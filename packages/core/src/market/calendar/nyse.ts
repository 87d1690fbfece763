/**
 * The days on which NYSE and NASDAQ do not trade or close at 13:00, valid from 2012. Days that no rule predicts are
 * listed by date. The rules are NYSE rule 7.2 and the NYSE page "Holidays and trading hours".
 */
import {
  dayNumber,
  easter,
  type ExchangeYear,
  isWeekend,
  lastWeekday,
  nthWeekday,
  parseDay,
  weekday,
  yearOfDay
} from "./dates.ts"

const closures: ReadonlyArray<string> = [
  "2012-10-29",
  "2012-10-30",
  "2018-12-05",
  "2025-01-09"
]

const firstJuneteenth = 2022

/**
 * Returns the day on which a fixed holiday is observed. A Saturday holiday is observed on Friday, and a Sunday holiday
 * on Monday.
 */
const observedDay = (day: number): number => weekday(day) === 6 ? day - 1 : weekday(day) === 0 ? day + 1 : day

export const nyseYear = (year: number): ExchangeYear => {
  const newYear = dayNumber(year, 1, 1)
  const thanksgiving = nthWeekday(year, 11, 4, 4)
  const closed = new Set([
    nthWeekday(year, 1, 1, 3),
    nthWeekday(year, 2, 1, 3),
    easter(year) - 2,
    lastWeekday(year, 5, 1),
    observedDay(dayNumber(year, 7, 4)),
    nthWeekday(year, 9, 1, 1),
    thanksgiving,
    observedDay(dayNumber(year, 12, 25)),
    ...closures.map(parseDay).filter((day) => yearOfDay(day) === year)
  ])
  // A New Year's Day on a Saturday is not observed: the last day of the year is a trading day.
  if (weekday(newYear) !== 6) closed.add(observedDay(newYear))
  if (year >= firstJuneteenth) closed.add(observedDay(dayNumber(year, 6, 19)))
  const earlyCloseDays = [thanksgiving + 1, dayNumber(year, 12, 24), dayNumber(year, 7, 3)]
  return {
    closed,
    hours: new Map(
      earlyCloseDays.filter((day) => !isWeekend(day) && !closed.has(day)).map((day) => [day, { closes: -3 }])
    )
  }
}
