import type { ScheduleSpec } from "./spec.ts"

const [minuteMs, dayMs] = [60_000, 86_400_000]

/** From one of its times to the next: offsets from UTC are fixed, so every day of such a clock is as long. */
const periodMs = (spec: ScheduleSpec): number => "every_min" in spec ? spec.every_min * minuteMs : dayMs

/**
 * The first time after `after` at which a schedule is due (epoch ms): its time of day at its offset, or one interval
 * later, for an interval is counted from when it began.
 */
export const nextDue = (spec: ScheduleSpec, after: number): number => {
  if ("every_min" in spec) return after + periodMs(spec)
  const [hours = 0, minutes = 0] = spec.at.split(":").map(Number)
  const ofDayMs = (hours * 60 + minutes - Math.round(spec.tz_offset_hours * 60)) * minuteMs
  const sinceMs = (after - ofDayMs) % dayMs
  return after - sinceMs + (sinceMs < 0 ? 0 : dayMs)
}

/** What a schedule that is due comes to: one firing, however many of its times have passed. */
export interface Collapsed {
  /** The last of them. */
  readonly dueAt: number
  /** How many came before it. */
  readonly missed: number
  /** The first that is still to come. */
  readonly nextAt: number
}

/** What is due at `now` of a schedule that is due next at `nextAt`; null when that is still to come. */
export const collapse = (spec: ScheduleSpec, nextAt: number, now: number): Collapsed | null => {
  if (nextAt > now) return null
  const apartMs = periodMs(spec)
  const missed = Math.floor((now - nextAt) / apartMs)
  const dueAt = nextAt + missed * apartMs
  return { dueAt, missed, nextAt: dueAt + apartMs }
}
