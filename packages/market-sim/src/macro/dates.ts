/** Dates by rule: the third Wednesday, the first Friday, the next working day. Days are counted from 1970. */
import { dayMs, dayNumber, hourMs, newYorkOffset, weekday } from "@tapeline/core/market"

/** The `n`-th (1 is the first, -1 the last) given weekday (0 is Sunday) of a month (1 to 12). */
export const nthWeekday = (year: number, month: number, wanted: number, n: number): number => {
  if (n > 0) {
    const first = dayNumber(year, month, 1)
    return first + (wanted - weekday(first) + 7) % 7 + 7 * (n - 1)
  }
  const last = dayNumber(year, month + 1, 0)
  return last - (weekday(last) - wanted + 7) % 7 + 7 * (n + 1)
}

/** A date of a month, or the Monday after it if it is at a weekend. */
export const workday = (year: number, month: number, date: number): number => {
  const day = dayNumber(year, month, date)
  const on = weekday(day)
  return on === 6 ? day + 2 : on === 0 ? day + 1 : day
}

/** The last working day of a month. */
export const lastWorkday = (year: number, month: number): number => {
  const day = dayNumber(year, month + 1, 0)
  const on = weekday(day)
  return on === 0 ? day - 2 : on === 6 ? day - 1 : day
}

export type Clock = "new_york" | "seoul" | "frankfurt" | "london" | "tokyo" | "beijing"

/** Returns whether a day is in European summer time: from the last Sunday of March to the last Sunday of October. */
const isEuropeanSummer = (day: number): boolean => {
  const year = new Date(day * dayMs).getUTCFullYear()
  return day >= nthWeekday(year, 3, 0, -1) && day < nthWeekday(year, 10, 0, -1)
}

/** The time, in epoch ms, of a local time of day. `hours` is counted from midnight. */
export const localTime = (clock: Clock, day: number, hours: number): number => {
  const ahead = clock === "new_york"
    ? -newYorkOffset(day)
    : clock === "frankfurt"
    ? isEuropeanSummer(day) ? 2 : 1
    : clock === "london"
    ? isEuropeanSummer(day) ? 1 : 0
    : clock === "beijing"
    ? 8
    : 9
  return day * dayMs + Math.round((hours - ahead) * hourMs)
}
