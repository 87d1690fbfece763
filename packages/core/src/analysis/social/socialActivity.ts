import { type Gap, overlapsGap } from "../../market/series.ts"
import type { SocialActivity } from "../../market/social.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import type { Trajectory } from "./vocabulary.ts"

/** The social activity by hour, oldest first. `gaps` contains the intervals in which no activity was collected. */
export interface ActivityHours {
  readonly points: ReadonlyArray<SocialActivity>
  readonly gaps: ReadonlyArray<Gap>
}

export interface SocialDay {
  readonly mentions: number
  readonly authors: number
  /** The mean tone of the posts, weighted by the mentions of each hour; null if no post has a tone. */
  readonly sentiment: number | null
  readonly isComplete: boolean
}

const isRecordedHour = (gaps: ReadonlyArray<Gap>, time: number): boolean => !overlapsGap(gaps, time, time + hourMs)

export const sumDayBefore = ({ gaps, points }: ActivityHours, until: number): SocialDay => {
  const day = points.filter(({ time }) => time >= until - dayMs && time < until)
  const withTone = day.filter(({ sentiment }) => sentiment !== null)
  const weight = withTone.reduce((sum, { mentions }) => sum + mentions, 0)
  return {
    mentions: day.reduce((sum, { mentions }) => sum + mentions, 0),
    authors: day.reduce((sum, { authors }) => sum + authors, 0),
    sentiment: weight === 0
      ? null
      : withTone.reduce((sum, { mentions, sentiment }) => sum + mentions * (sentiment ?? 0), 0) / weight,
    isComplete: day.length === dayMs / hourMs && !overlapsGap(gaps, until - dayMs, until)
  }
}

const minHourPairs = 18
const minEarlierMentions = 10

/** The change of mentions between two consecutive periods of 24 hours. */
export interface SocialChange {
  /**
   * The relative change of mentions from the earlier to the later 24 hours. `acceleration` is null if too few hours
   * were recorded on both days, or if there were too few mentions.
   */
  readonly acceleration: number | null
  /**
   * The difference in mentions, in standard deviations of the difference between two Poisson counts; null if
   * `acceleration` is null.
   */
  readonly z: number | null
}

/** Compares the mentions of each hour with the hour 24 hours earlier, if both hours were recorded completely. */
export const compareWithDayBefore = ({ gaps, points }: ActivityHours, until: number): SocialChange => {
  const hours = new Map(
    points.filter(({ time }) => isRecordedHour(gaps, time)).map((point) => [point.time, point.mentions])
  )
  let [now, before, pairs] = [0, 0, 0]
  for (let time = until - dayMs; time < until; time += hourMs) {
    const later = hours.get(time)
    const earlier = hours.get(time - dayMs)
    if (later === undefined || earlier === undefined) continue
    now += later
    before += earlier
    pairs++
  }
  return pairs < minHourPairs || before < minEarlierMentions
    ? { acceleration: null, z: null }
    : { acceleration: now / before - 1, z: (now - before) / Math.sqrt(now + before) }
}

/** Returns the trajectory of a change. The trajectory is `steady` if the change may be chance. */
export const classifyTrajectory = ({ acceleration, z }: SocialChange): Trajectory | null => {
  if (acceleration === null || z === null) return null
  if (Math.abs(z) < 2) return "steady"
  return acceleration >= 1 ? "surging" : acceleration > 0 ? "rising" : acceleration > -0.5 ? "fading" : "collapsing"
}

const rankedHours = 168
const minRankedPeriods = 100

/** Ranks the mentions of the last 24 hours among all 24-hour periods that ended in the previous 7 days. */
export const rankMentionsUntil = (
  hours: ActivityHours,
  until: number
): { readonly percentile: number | null; readonly sampleSize: number } => {
  const now = sumDayBefore(hours, until)
  const past = Array.from({ length: rankedHours }, (_, i) => sumDayBefore(hours, until - (i + 1) * hourMs))
    .filter(({ isComplete }) => isComplete)
  const below = past.filter(({ mentions }) => mentions < now.mentions).length
  const isReported = now.isComplete && past.length >= minRankedPeriods
  return { percentile: isReported ? (100 * below) / past.length : null, sampleSize: past.length }
}

/** The length of the period that {@link rankMentionsUntil} reads, in ms. */
export const percentilePeriodMs = rankedHours * hourMs + dayMs
