/** Dates by rule: the third Wednesday, the first Friday, the next working day. Days are counted from 1970. */
import { dayMs, dayNumber, hourMs, newYorkOffset, weekday } from "@tapeline/core/market"

/** The `n`-th (1 is the first, -1 the last) given weekday (0 is Sunday) of a month (1 to 12). */
export const getNthWeekday = (year: number, month: number, targetWeekday: number, n: number): number => {
  if (n > 0) {
    const first = dayNumber(year, month, 1)
    return first + (targetWeekday - weekday(first) + 7) % 7 + 7 * (n - 1)
  }
  const last = dayNumber(year, month + 1, 0)
  return last - (weekday(last) - targetWeekday + 7) % 7 + 7 * (n + 1)
}

/** A date of a month, or the Monday after it if it is at a weekend. */
export const getWorkdayOnOrAfter = (year: number, month: number, date: number): number => {
  const day = dayNumber(year, month, date)
  const dayOfWeek = weekday(day)
  return dayOfWeek === 6 ? day + 2 : dayOfWeek === 0 ? day + 1 : day
}

/** The last working day of a month. */
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

/** The time, in epoch ms, of a local time of day. `hours` is counted from midnight. */
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
