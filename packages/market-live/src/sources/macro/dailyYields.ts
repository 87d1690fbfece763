import { dayMs, hourMs, type YieldCurve, type YieldPoint } from "@tapeline/core/market"
import { type Answer, presentOf } from "../../source/index.ts"

/** What government bonds yielded on one day. */
export interface DailyYields {
  /** The instant that they are of. */
  readonly time: number
  /** Percent a year by tenor (`3M`, `10Y`); what was not told of that day is missing. */
  readonly yields: ReadonlyMap<string, number>
}

const yearsOf = (tenor: string): number => Number(tenor.slice(0, -1)) / (tenor.endsWith("M") ? 12 : 1)

/** A month before, and for how much longer a yield of before stands: holidays make no day of every day. */
const monthMs = 30 * dayMs
const staleMs = 8 * dayMs

/** How far back days have to be known, for a curve and the one of a month before. */
export const curveReachMs = monthMs + 2 * staleMs

/** The newest yield of a tenor by an instant; null where the days before it do not tell it. */
const yieldBy = (days: ReadonlyArray<DailyYields>, tenor: string, time: number): number | null => {
  const told = days.findLast((day) => day.time <= time && day.time > time - staleMs && day.yields.has(tenor))
  return told?.yields.get(tenor) ?? null
}

/** The newest of some days (oldest first) as a curve; undefined where none of them is over. */
export const curveOf = (
  country: YieldCurve["country"],
  { value: days, ...answer }: Answer<ReadonlyArray<DailyYields>>,
  now: number
): YieldCurve | undefined => {
  const present = Math.min(now, presentOf({ ...answer, value: days }))
  const newest = days.findLast(({ time, yields }) => time <= present && yields.size > 0)
  if (newest === undefined) return undefined
  const points = Array.from(newest.yields, ([tenor, yieldPct]): YieldPoint => ({
    tenor,
    years: yearsOf(tenor),
    yieldPct,
    // Of a day whose curve is some hours late to the month before.
    yield1mAgoPct: yieldBy(days, tenor, newest.time - monthMs + 2 * hourMs)
  }))
  return { country, time: newest.time, points: points.toSorted((a, b) => a.years - b.years) }
}
