import type { AccountUsage } from "@tapeline/client"
import { countDays, dayOfMonth, toMonth } from "./month.ts"

const dayMs = 86_400_000

/** The pace at which a month's credits are used: credits per day, and times in ms since 1970. */
export interface UsagePace {
  /** True for the current month. `left` and `exhaustedAt` have no meaning for a past month. */
  readonly isRunning: boolean
  /** The elapsed part of the month, in days. */
  readonly elapsedDays: number
  /** The remaining part of the month, in days. */
  readonly remainingDays: number
  /** The average use per day so far. */
  readonly averagePerDay: number
  /** The pace that uses the remaining credits by the renewal; for a past month, the pace for all its credits. */
  readonly evenPacePerDay: number
  /** When the credits run out at the average pace; undefined if the month ends before. */
  readonly exhaustedAt: number | undefined
}

type MonthCredits = Pick<AccountUsage, "credits" | "month" | "renews_at">

/** Computes the pace. If this machine's clock is outside the service's month, `now` is clamped to the month. */
export const computePace = ({ credits, month, renews_at }: MonthCredits, now: number): UsagePace => {
  const days = countDays(month)
  const end = Date.parse(renews_at)
  const start = end - days * dayMs
  const elapsedDays = Math.min(Math.max(now - start, 0), end - start) / dayMs
  const remainingDays = days - elapsedDays
  // Less than a day counts as a day, because one busy hour does not make a busy day.
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
    evenPacePerDay: isRunning ? creditsLeft / remainingDays : credits.allotted / days,
    exhaustedAt
  }
}

/** A day of the month, also without calls. */
export interface Day {
  readonly day: number
  readonly calls: number
  readonly failed: number
  readonly credits: number
  /** True for a day in the future. */
  readonly isFuture: boolean
}

/** All days of a month in order. */
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

/** Round whole values from 0 to a maximum, at most five. */
export const axisTicks = (max: number): ReadonlyArray<number> => {
  if (!(max > 0)) return [0]
  const roughStep = max / 4
  const power = 10 ** Math.floor(Math.log10(roughStep))
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= roughStep && Number.isInteger(one)) ??
    1
  return Array.from({ length: Math.floor(max / step + 1e-9) + 1 }, (_, i) => i * step)
}

/**
 * The height of a plot of days, and whether the pace is inside it. A pace far above all days is left out, so that the
 * days can be distinguished.
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

/** A part as a share of a sum, from 0 to 1; 0 if the sum is 0. */
export const fractionOf = (part: number, sum: number): number => sum > 0 ? part / sum : 0
