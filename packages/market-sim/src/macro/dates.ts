/** Finds dates by rule, such as the third Wednesday of a month, as days since 1970-01-01. */
import { dayMs, dayNumber, hourMs, newYorkOffset, weekday } from "@tapeline/core/market"

/** Returns the `n`-th given weekday of a month (1 to 12), where `n` of -1 means the last, and weekday 0 is Sunday. */
export const getNthWeekday = (year: number, month: number, targetWeekday: number, n: number): number => {
  if (n > 0) {
    const first = dayNumber(year, month, 1)
    return first + (targetWeekday - weekday(first) + 7) % 7 + 7 * (n - 1)
  }
  const last = dayNumber(year, month + 1, 0)
  return last - (weekday(last) - targetWeekday + 7) % 7 + 7 * (n + 1)
}

/** Returns a date of a month, or the following Monday if the date is on a weekend. */
export const getWorkdayOnOrAfter = (year: number, month: number, date: number): number => {
  const day = dayNumber(year, month, date)
  const dayOfWeek = weekday(day)
  return dayOfWeek === 6 ? day + 2 : dayOfWeek === 0 ? day + 1 : day
}

/** Returns the last day of a month that is not on a weekend. */
export const getLastWorkday = (year: number, month: number): number => {
  const day = dayNumber(year, month + 1, 0)
  const dayOfWeek = weekday(day)
  return dayOfWeek === 0 ? day - 2 : dayOfWeek === 6 ? day - 1 : day
}

export type TimeZone = "new_york" | "seoul" | "frankfurt" | "london" | "tokyo" | "beijing"

/** Returns whether a day is in European summer time: from the last Sunday of March to the last Sunday of October. */
const isEuropeanSummer = (day: number): boolean => {
  const year = new Date(day * dayMs).getUTCFullYear()
  return day >= getNthWeekday(year, 3, 0, -1) && day < getNthWeekday(year, 10, 0, -1)
}

/**
 * Converts a local time to milliseconds since 1970. `day` is the local date, and `hours` is the number of hours since
 * local midnight.
 */
export const toEpochMs = (timeZone: TimeZone, day: number, hours: number): number => {
  const utcOffsetHours = timeZone === "new_york"
    ? -newYorkOffset(day)
    : timeZone === "frankfurt"
    ? isEuropeanSummer(day) ? 2 : 1
    : timeZone === "london"
    ? isEuropeanSummer(day) ? 1 : 0
    : timeZone === "beijing"
    ? 8
    : 9
  return day * dayMs + Math.round((hours - utcOffsetHours) * hourMs)
}
