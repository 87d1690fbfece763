import type { AccountUsage } from "@tapeline/client"
import { dayOf, daysIn, monthOf } from "./month.ts"

const dayMs = 86_400_000

/** How fast a month's credits go. Credits a day, and instants in ms since 1970. */
export interface Pace {
  /** The month runs; of one that is over the rest tells nothing. */
  readonly isRunning: boolean
  /** How much of the month is over, in days; all of it for one that is. */
  readonly gone: number
  /** How much of it is still to come, in days. */
  readonly left: number
  /** What was used a day so far, on average. */
  readonly average: number
  /** What uses up exactly what is left by the renewal; of a month that is over, what would have used up all of it. */
  readonly even: number
  /** When nothing is left at the average so far; undefined where the month ends before that. */
  readonly endsAt: number | undefined
}

type Books = Pick<AccountUsage, "credits" | "month" | "renews_at">

/** `now` is held to the month that the service tells: where this machine's clock is in another, it is at that end. */
export const paceOf = ({ credits, month, renews_at }: Books, now: number): Pace => {
  const days = daysIn(month)
  const end = Date.parse(renews_at)
  const start = end - days * dayMs
  const gone = Math.min(Math.max(now - start, 0), end - start) / dayMs
  const left = days - gone
  // The first hours tell no pace: one busy hour is no busy day.
  const average = credits.used / Math.max(gone, 1)
  const isRunning = left > 0
  const free = Math.max(credits.left, 0)
  const endsAt = isRunning && free > 0 && average > 0 && free / average < left
    ? start + (gone + free / average) * dayMs
    : undefined
  return { isRunning, gone, left, average, even: isRunning ? free / left : credits.allotted / days, endsAt }
}

/** A day of the month, also one on which nothing was called. */
export interface Day {
  readonly day: number
  readonly calls: number
  readonly failed: number
  readonly credits: number
  /** It is still to come. */
  readonly isAhead: boolean
}

/** All days of a month, in order. */
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

/** Round whole values from 0 to a top, at most five. */
export const ticksTo = (top: number): ReadonlyArray<number> => {
  if (!(top > 0)) return [0]
  const rough = top / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough && Number.isInteger(one)) ?? 1
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, i) => i * step)
}

/**
 * How high a plot of days goes, and whether the pace is within it: one that is far above every day is not, so that days
 * can still be told apart.
 */
export const scaleOf = (
  days: ReadonlyArray<Day>,
  even: number
): { readonly top: number; readonly isWithin: boolean } => {
  const most = Math.max(...days.map(({ credits }) => credits), 0)
  const isWithin = most === 0 || even <= 3 * most
  return { top: Math.max(isWithin ? Math.max(most, even) : 1.25 * most, 4) * 1.08, isWithin }
}

/** What part of a sum something is, 0 to 1. */
export const shareOf = (part: number, sum: number): number => sum > 0 ? part / sum : 0
