import type { AccountUsage } from "@tapeline/client"
import { countDays, dayOfMonth, toMonth } from "./month.ts"

const dayMs = 86_400_000

/** The rate at which an account uses a month's credits, in credits per day. */
export interface UsagePace {
  /** Whether the month is the current month. */
  readonly isRunning: boolean
  readonly elapsedDays: number
  readonly remainingDays: number
  readonly averagePerDay: number
  /**
   * The number of credits per day that would use up the remaining credits exactly at the renewal. For a past month,
   * `evenPacePerDay` is the month's credits divided by the days of the month.
   */
  readonly evenPacePerDay: number
  /**
   * The time at which the credits run out at the average rate; undefined if the month is past or ends before that time.
   */
  readonly exhaustedAt: number | undefined
}

type MonthCredits = Pick<AccountUsage, "credits" | "month" | "renews_at">

/**
 * Computes how fast an account uses the credits of a month, as of the time `now`. A time outside the month is replaced
 * by the nearest time within the month.
 */
export const computePace = ({ credits, month, renews_at }: MonthCredits, now: number): UsagePace => {
  const days = countDays(month)
  const end = Date.parse(renews_at)
  const start = end - days * dayMs
  const elapsedDays = Math.min(Math.max(now - start, 0), end - start) / dayMs
  const remainingDays = days - elapsedDays
  // On the first day, the average divides by one whole day, because one busy hour does not represent a whole day.
  const averagePerDay = credits.used / Math.max(elapsedDays, 1)
  const isRunning = remainingDays > 0
  const creditsLeft = Math.max(credits.left, 0)
  const exhaustedAt = isRunning && creditsLeft > 0 && averagePerDay > 0 && creditsLeft / averagePerDay < remainingDays
    ? start + (elapsedDays + creditsLeft / averagePerDay) * dayMs
    : undefined
  return {
    isRunning,
    elapsedDays,
    remainingDays,
    averagePerDay,
    evenPacePerDay: isRunning ? creditsLeft / remainingDays : (credits.allotted + credits.adjusted) / days,
    exhaustedAt
  }
}

/** The usage of one day of the month, even if the day had no calls. */
export interface Day {
  readonly day: number
  readonly calls: number
  readonly failed: number
  readonly credits: number
  readonly isFuture: boolean
}

export const allDaysOf = (
  { days, month, renews_at }: MonthCredits & Pick<AccountUsage, "days">,
  now: number
): ReadonlyArray<Day> => {
  const usedDays = new Map(days.map((day) => [dayOfMonth(day.day), day]))
  const isOver = Date.parse(renews_at) <= now
  const today = toMonth(now) === month ? new Date(now).getUTCDate() : isOver ? countDays(month) : 1
  return Array.from({ length: countDays(month) }, (_, i) => {
    const found = usedDays.get(i + 1)
    return {
      day: i + 1,
      calls: found?.calls ?? 0,
      failed: found?.failed ?? 0,
      credits: found?.credits ?? 0,
      isFuture: i + 1 > today && found === undefined
    }
  })
}

/** Returns at most five round whole values from 0 to a maximum, for axis marks. */
export const axisTicks = (max: number): ReadonlyArray<number> => {
  if (!(max > 0)) return [0]
  const roughStep = max / 4
  const power = 10 ** Math.floor(Math.log10(roughStep))
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= roughStep && Number.isInteger(one)) ??
    1
  return Array.from({ length: Math.floor(max / step + 1e-9) + 1 }, (_, i) => i * step)
}

/**
 * Returns the largest value on the axis of the usage plot, and whether the plot shows the line at `evenPacePerDay`. The
 * plot omits a line far above all days, because the line would flatten the differences between the days.
 */
export const plotScale = (
  days: ReadonlyArray<Day>,
  evenPacePerDay: number
): { readonly max: number; readonly isEvenPaceVisible: boolean } => {
  const maxDay = Math.max(...days.map(({ credits }) => credits), 0)
  const isEvenPaceVisible = maxDay === 0 || evenPacePerDay <= 3 * maxDay
  return {
    max: Math.max(isEvenPaceVisible ? Math.max(maxDay, evenPacePerDay) : 1.25 * maxDay, 4) * 1.08,
    isEvenPaceVisible
  }
}

/** Returns a part as a share of a sum, from 0 to 1; 0 if the sum is 0. */
export const fractionOf = (part: number, sum: number): number => sum > 0 ? part / sum : 0
