import type { AccountUsage } from "@tapeline/client"
import { dayOf, daysIn, monthOf } from "./month.ts"

const dayMs = 86_400_000

/** The pace at which a month's credits are used: credits per day, and times in ms since 1970. */
export interface Pace {
  /** True for the current month. `left` and `endsAt` have no meaning for a past month. */
  readonly isRunning: boolean
  /** The elapsed part of the month, in days. */
  readonly gone: number
  /** The remaining part of the month, in days. */
  readonly left: number
  /** The average use per day so far. */
  readonly average: number
  /** The pace that uses the remaining credits by the renewal; for a past month, the pace for all its credits. */
  readonly even: number
  /** When the credits run out at the average pace; undefined if the month ends before. */
  readonly endsAt: number | undefined
}

type Books = Pick<AccountUsage, "credits" | "month" | "renews_at">

/** Computes the pace. If this machine's clock is outside the service's month, `now` is clamped to the month. */
export const paceOf = ({ credits, month, renews_at }: Books, now: number): Pace => {
  const days = daysIn(month)
  const end = Date.parse(renews_at)
  const start = end - days * dayMs
  const gone = Math.min(Math.max(now - start, 0), end - start) / dayMs
  const left = days - gone
  // Less than a day counts as a day, because one busy hour does not make a busy day.
  const average = credits.used / Math.max(gone, 1)
  const isRunning = left > 0
  const free = Math.max(credits.left, 0)
  const endsAt = isRunning && free > 0 && average > 0 && free / average < left
    ? start + (gone + free / average) * dayMs
    : undefined
  return { isRunning, gone, left, average, even: isRunning ? free / left : credits.allotted / days, endsAt }
}

/** A day of the month, also without calls. */
export interface Day {
  readonly day: number
  readonly calls: number
  readonly failed: number
  readonly credits: number
  /** True for a day in the future. */
  readonly isAhead: boolean
}

/** All days of a month in order. */
export const daysOf = (
  { days, month, renews_at }: Books & Pick<AccountUsage, "days">,
  now: number
): ReadonlyArray<Day> => {
  const told = new Map(days.map((day) => [dayOf(day.day), day]))
  const isOver = Date.parse(renews_at) <= now
  const today = monthOf(now) === month ? new Date(now).getUTCDate() : isOver ? daysIn(month) : 1
  return Array.from({ length: daysIn(month) }, (_, i) => {
    const found = told.get(i + 1)
    return {
      day: i + 1,
      calls: found?.calls ?? 0,
      failed: found?.failed ?? 0,
      credits: found?.credits ?? 0,
      isAhead: i + 1 > today && found === undefined
    }
  })
}

/** Round whole values from 0 to a maximum, at most five. */
export const ticksTo = (top: number): ReadonlyArray<number> => {
  if (!(top > 0)) return [0]
  const rough = top / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough && Number.isInteger(one)) ?? 1
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, i) => i * step)
}

/**
 * The height of a plot of days, and whether the pace is inside it. A pace far above all days is left out, so that the
 * days can be distinguished.
 */
export const scaleOf = (
  days: ReadonlyArray<Day>,
  even: number
): { readonly top: number; readonly isWithin: boolean } => {
  const most = Math.max(...days.map(({ credits }) => credits), 0)
  const isWithin = most === 0 || even <= 3 * most
  return { top: Math.max(isWithin ? Math.max(most, even) : 1.25 * most, 4) * 1.08, isWithin }
}

/** A part as a share of a sum, from 0 to 1; 0 if the sum is 0. */
export const shareOf = (part: number, sum: number): number => sum > 0 ? part / sum : 0
