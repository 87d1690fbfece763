import type { ScheduleSpec } from "./task.ts"

const [minuteMs, dayMs] = [60_000, 86_400_000]

/**
 * Returns the time between two due times of a schedule. The schedule's offset from UTC is fixed, so each of its days
 * has 24 hours.
 */
const computePeriodMs = (spec: ScheduleSpec): number => "every_min" in spec ? spec.every_min * minuteMs : dayMs

/** Returns a schedule's first due time after `after` (epoch ms); an interval is due one interval after `after`. */
export const computeNextDue = (spec: ScheduleSpec, after: number): number => {
  if ("every_min" in spec) return after + computePeriodMs(spec)
  const [hours = 0, minutes = 0] = spec.at.split(":").map(Number)
  const dueTimeOfDayMs = (hours * 60 + minutes - Math.round(spec.tz_offset_hours * 60)) * minuteMs
  const sinceLastDueMs = (after - dueTimeOfDayMs) % dayMs
  return after - sinceLastDueMs + (sinceLastDueMs < 0 ? 0 : dayMs)
}

/** The single firing for all due times of a schedule that have passed. */
export interface CollapsedSchedule {
  readonly dueAt: number
  readonly missed: number
  readonly nextAt: number
}

/** Combines all due times from `nextAt` to `now` into one firing, or returns null if `nextAt` is in the future. */
export const collapseMissed = (spec: ScheduleSpec, nextAt: number, now: number): CollapsedSchedule | null => {
  if (nextAt > now) return null
  const intervalMs = computePeriodMs(spec)
  const missed = Math.floor((now - nextAt) / intervalMs)
  const dueAt = nextAt + missed * intervalMs
  return { dueAt, missed, nextAt: dueAt + intervalMs }
}
