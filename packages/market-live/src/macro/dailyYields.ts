import { dayMs, hourMs, type YieldCurve, type YieldPoint } from "@tapeline/core/market"
import { type SourceResponse, sourceTimeOf } from "../source/index.ts"

/** The yields of government bonds on one day. */
export interface DailyYields {
  readonly time: number
  /** The yields by tenor (`3M`, `10Y`), in percent a year, without tenors that have no yield on the day. */
  readonly yields: ReadonlyMap<string, number>
}

const yearsOf = (tenor: string): number => Number(tenor.slice(0, -1)) / (tenor.endsWith("M") ? 12 : 1)

/** The length of a month, and the maximum age of a yield that remains valid on holidays. */
const monthMs = 30 * dayMs
const maxYieldAgeMs = 8 * dayMs

/** The period for which yields are needed, for a yield curve and for the curve one month earlier. */
export const curveLookbackMs = monthMs + 2 * maxYieldAgeMs

/** Returns the newest yield of a tenor at a time, or null if no recent day has a yield. */
const newestYield = (days: ReadonlyArray<DailyYields>, tenor: string, time: number): number | null => {
  const dayYields = days.findLast((day) => day.time <= time && day.time > time - maxYieldAgeMs && day.yields.has(tenor))
  return dayYields?.yields.get(tenor) ?? null
}

/** Returns the yield curve of the newest day, or undefined if no day has ended yet. */
export const toCurve = (
  country: YieldCurve["country"],
  { value: days, ...answer }: SourceResponse<ReadonlyArray<DailyYields>>,
  now: number
): YieldCurve | undefined => {
  const currentTime = Math.min(now, sourceTimeOf(answer))
  const newest = days.findLast(({ time, yields }) => time <= currentTime && yields.size > 0)
  if (newest === undefined) return undefined
  const points = Array.from(newest.yields, ([tenor, yieldPct]): YieldPoint => ({
    tenor,
    years: yearsOf(tenor),
    yieldPct,
    // Because of daylight saving time, the quote time one month earlier may be an hour or two later in the day.
    yield1mAgoPct: newestYield(days, tenor, newest.time - monthMs + 2 * hourMs)
  }))
  return { country, time: newest.time, points: points.toSorted((a, b) => a.years - b.years) }
}
