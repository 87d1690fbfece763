import { dayMs } from "../timeframe.ts"

/** An exchange's holidays and unusual trading hours in one year. Days are counted from 1970-01-01. */
export interface ExchangeYear {
  /** The days without a session; the set need not contain weekends. */
  readonly closed: ReadonlySet<number>
  /** The days on which the session opens or closes later than usual. `opens` and `closes` are the delays in hours. */
  readonly hours: ReadonlyMap<number, { readonly opens?: number; readonly closes?: number }>
}

/** Returns the number of days from 1970-01-01 to a date of `month` 1 to 12, without a time zone. */

export const dayNumber = (year: number, month: number, date: number): number => Date.UTC(year, month - 1, date) / dayMs

export const parseDay = (text: string): number => Date.parse(text) / dayMs

export const yearOfDay = (day: number): number => new Date(day * dayMs).getUTCFullYear()

/** Returns the weekday of a day: 0 is Sunday. 1970-01-01 was a Thursday. */
export const weekday = (day: number): number => (((day + 4) % 7) + 7) % 7

export const isWeekend = (day: number): boolean => weekday(day) === 0 || weekday(day) === 6

/** Returns the `n`-th (from 1) given weekday of a month. */
export const nthWeekday = (year: number, month: number, wanted: number, n: number): number => {
  const first = dayNumber(year, month, 1)
  return first + (wanted - weekday(first) + 7) % 7 + 7 * (n - 1)
}

export const lastWeekday = (year: number, month: number, wanted: number): number => {
  const end = dayNumber(year, month + 1, 0)
  return end - (weekday(end) - wanted + 7) % 7
}

/** Returns Easter Sunday, by the anonymous Gregorian algorithm (Nature, 1876). */
export const easter = (year: number): number => {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const g = Math.floor((8 * b + 13) / 25)
  const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - c % 4) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const month = Math.floor((h + l - 7 * m + 114) / 31)
  return dayNumber(year, month, (h + l - 7 * m + 114) % 31 + 1)
}

/** Returns the hours that New York is behind UTC at noon of a day: 4 in daylight saving time, otherwise 5. */
export const newYorkOffset = (day: number): number => {
  const year = yearOfDay(day)
  return day >= nthWeekday(year, 3, 0, 2) && day < nthWeekday(year, 11, 0, 1) ? 4 : 5
}

/** Returns the hours that Frankfurt is ahead of UTC at noon of a day: 2 in summer time, otherwise 1. */
export const frankfurtOffset = (day: number): number => {
  const year = yearOfDay(day)
  return day >= lastWeekday(year, 3, 0) && day < lastWeekday(year, 10, 0) ? 2 : 1
}
