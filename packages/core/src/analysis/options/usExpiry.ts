/** Identifies the monthly expiries of US stock options. */
import { nthWeekday } from "../../market/calendar/dates.ts"
import { isTradingDay, localDay } from "../../market/calendar/sessions.ts"
import { dayMs } from "../../market/timeframe.ts"

const friday = 5

/** Whether an expiry is on the third Friday of a month, or on the day before if that Friday is a holiday. */
export const isThirdFriday = (expiryAt: number): boolean => {
  const day = localDay("US", expiryAt)
  const date = new Date(day * dayMs)
  const third = nthWeekday(date.getUTCFullYear(), date.getUTCMonth() + 1, friday, 3)
  return day === third || (day === third - 1 && !isTradingDay("US", third))
}
