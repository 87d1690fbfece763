/** The trading week of the interbank currency market begins on Sunday and ends on Friday, both at 17:00 in New York. */
import { dayMs, hourMs } from "../timeframe.ts"
import { newYorkOffset, weekday } from "./dates.ts"

const closingHour = 17

const closingTime = (day: number): number => day * dayMs + (closingHour + newYorkOffset(day)) * hourMs

/** Returns the last time up to `time` at which the interbank market was open. */
export const lastInterbankTime = (time: number): number => {
  const today = Math.floor(time / dayMs)
  const sunday = today - weekday(today)
  const friday = sunday + 5
  if (time < closingTime(sunday)) return Math.min(time, closingTime(sunday - 2))
  return Math.min(time, closingTime(friday))
}
