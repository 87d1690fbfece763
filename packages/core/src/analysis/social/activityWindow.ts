import { type Gap, touchesGap } from "../../market/series.ts"
import type { SocialActivity } from "../../market/social.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import type { Trajectory } from "./trajectories.ts"

/** Hours of posts, oldest first, and when nothing was collected. */
export interface ActivityHours {
  readonly points: ReadonlyArray<SocialActivity>
  readonly gaps: ReadonlyArray<Gap>
}

/** What was said in 24 hours. */
export interface SocialDay {
  /** As far as it was recorded. */
  readonly mentions: number
  readonly authors: number
  /** Mean tone, each hour weighed by its mentions; null where no post has one. */
  readonly sentiment: number | null
  /** Whether each of its hours was recorded whole. */
  readonly whole: boolean
}

const isWhole = (gaps: ReadonlyArray<Gap>, time: number): boolean => !touchesGap(gaps, time, time + hourMs)

/** The 24 hours before an instant on the hour. */
export const dayBefore = ({ gaps, points }: ActivityHours, until: number): SocialDay => {
  const day = points.filter(({ time }) => time >= until - dayMs && time < until)
  const toned = day.filter(({ sentiment }) => sentiment !== null)
  const weight = toned.reduce((sum, { mentions }) => sum + mentions, 0)
  return {
    mentions: day.reduce((sum, { mentions }) => sum + mentions, 0),
    authors: day.reduce((sum, { authors }) => sum + authors, 0),
    sentiment: weight === 0
      ? null
      : toned.reduce((sum, { mentions, sentiment }) => sum + mentions * (sentiment ?? 0), 0) / weight,
    whole: day.length === dayMs / hourMs && !touchesGap(gaps, until - dayMs, until)
  }
}

/** Of fewer pairs of hours, or fewer mentions before, no change is told. */
const leastPairs = 18
const leastBefore = 10

/** How mentions of 24 hours compare with those of the same hours a day before. */
export interface SocialChange {
  /** Their ratio less 1; null where too few hours were recorded in both, or too little was said before. */
  readonly acceleration: number | null
  /** The change in units of the deviation that chance alone would give two counts; null with it. */
  readonly z: number | null
}

/** Hours that were recorded whole on both days are compared, each with the same hour of the day before. */
export const changeUntil = ({ gaps, points }: ActivityHours, until: number): SocialChange => {
  const hours = new Map(points.filter(({ time }) => isWhole(gaps, time)).map((point) => [point.time, point.mentions]))
  let [now, before, pairs] = [0, 0, 0]
  for (let time = until - dayMs; time < until; time += hourMs) {
    const later = hours.get(time)
    const earlier = hours.get(time - dayMs)
    if (later === undefined || earlier === undefined) continue
    now += later
    before += earlier
    pairs++
  }
  return pairs < leastPairs || before < leastBefore
    ? { acceleration: null, z: null }
    : { acceleration: now / before - 1, z: (now - before) / Math.sqrt(now + before) }
}

/** A change in a word; what chance may have done is steady. */
export const trajectoryOf = ({ acceleration, z }: SocialChange): Trajectory | null => {
  if (acceleration === null || z === null) return null
  if (Math.abs(z) < 2) return "steady"
  return acceleration >= 1 ? "surging" : acceleration > 0 ? "rising" : acceleration > -0.5 ? "fading" : "collapsing"
}

const rankedHours = 168
const leastRanked = 100

/** Where the mentions of 24 hours stand among those of every 24 hours that ended in the 7 days before. */
export const percentileUntil = (
  hours: ActivityHours,
  until: number
): { readonly percentile: number | null; readonly n: number } => {
  const now = dayBefore(hours, until)
  const past = Array.from({ length: rankedHours }, (_, i) => dayBefore(hours, until - (i + 1) * hourMs))
    .filter(({ whole }) => whole)
  const below = past.filter(({ mentions }) => mentions < now.mentions).length
  const told = now.whole && past.length >= leastRanked
  return { percentile: told ? (100 * below) / past.length : null, n: past.length }
}

/** How far back {@link percentileUntil} looks. */
export const percentileMs = rankedHours * hourMs + dayMs
