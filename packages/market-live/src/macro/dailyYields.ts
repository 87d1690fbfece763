import { dayMs, hourMs, type YieldCurve, type YieldPoint } from "@tapeline/core/market"
import { type SourceResponse, sourceTimeOf } from "../source/index.ts"

/** The yields of government bonds on one day. */
export interface DailyYields {
  /** The time of the quotes. */
  readonly time: number
  /** Percent a year by tenor (`3M`, `10Y`). Tenors without a yield on that day are missing. */
  readonly yields: ReadonlyMap<string, number>
}

const yearsOf = (tenor: string): number => Number(tenor.slice(0, -1)) / (tenor.endsWith("M") ? 12 : 1)

/** The length of a month, and how long an earlier yield remains valid, because holidays have no yields. */
const monthMs = 30 * dayMs
const maxYieldAgeMs = 8 * dayMs

/** How far back days are needed, for a curve and for the one a month before. */
export const curveLookbackMs = monthMs + 2 * maxYieldAgeMs

/** The newest yield of a tenor at a time; null if the days before it have none. */
const newestYield = (days: ReadonlyArray<DailyYields>, tenor: string, time: number): number | null => {
  const dayYields = days.findLast((day) => day.time <= time && day.time > time - maxYieldAgeMs && day.yields.has(tenor))
  return dayYields?.yields.get(tenor) ?? null
}

/** Makes a curve from the newest of some days (oldest first); undefined if no day is over yet. */
export const toCurve = (
  country: YieldCurve["country"],
  { value: days, ...answer }: SourceResponse<ReadonlyArray<DailyYields>>,
  now: number
): YieldCurve | undefined => {
  const currentTime = Math.min(now, sourceTimeOf({ ...answer, value: days }))
  const newest = days.findLast(({ time, yields }) => time <= currentTime && yields.size > 0)
  if (newest === undefined) return undefined
  const points = Array.from(newest.yields, ([tenor, yieldPct]): YieldPoint => ({
    tenor,
    years: yearsOf(tenor),
    yieldPct,
    // The curve of the day a month before may be some hours later.
    yield1mAgoPct: newestYield(days, tenor, newest.time - monthMs + 2 * hourMs)
  }))
  return { country, time: newest.time, points: points.toSorted((a, b) => a.years - b.years) }
}
