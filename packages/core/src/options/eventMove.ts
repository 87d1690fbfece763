/**
 * The move that options expect of an announcement alone.
 */
import { expectedMovePct } from "@tapeline/quant/probability"
import { expiryDate } from "./expiry.ts"
import type { TermPoint } from "./term.ts"

/** An announcement: its date, and the instant where that is known. */
export interface Announced {
  readonly date: string
  readonly time: number | null
}

export interface EventMove {
  /** Mean absolute move, percent of the price. */
  readonly pct: number
  /** The first expiry after the announcement. */
  readonly expiryAt: number
}

/** Total variance at the money of an expiry that is quoted there. */
const varianceOf = ({ atm, days }: TermPoint): number => (atm! / 100) ** 2 * (days / 365)

/**
 * The first expiry after an announcement has the variance of its days and that of the announcement. That of the days is
 * told by the last expiry before it, per day; where none is listed, by the next expiry, which has more days and the
 * same announcement. Null where neither is quoted, or nothing is left for the announcement.
 */
export const eventMove = (term: ReadonlyArray<TermPoint>, { date, time }: Announced): EventMove | null => {
  const known = term.filter(({ atm, days }) => atm !== null && days > 0)
  // On the day itself an expiry lies before the announcement or after it by its hour, if that is known.
  const isAfter = ({ expiryAt }: TermPoint): boolean => time === null ? expiryDate(expiryAt) > date : expiryAt > time
  const [first, second] = known.filter(isAfter)
  if (first === undefined) return null
  const before = known.findLast((point) => !isAfter(point) && (time !== null || expiryDate(point.expiryAt) < date))
  const daily = before !== undefined
    ? varianceOf(before) / before.days
    : second !== undefined
    ? (varianceOf(second) - varianceOf(first)) / (second.days - first.days)
    : null
  if (daily === null) return null
  const left = varianceOf(first) - daily * first.days
  return left > 0 ? { pct: expectedMovePct(Math.sqrt(left)), expiryAt: first.expiryAt } : null
}
