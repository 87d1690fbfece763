/**
 * The move that option prices expect from one earnings announcement.
 */
import { dayMs } from "../../market/timeframe.ts"
import { expiryDate } from "./expiry.ts"
import { straddlePct } from "./straddle.ts"
import type { TermPoint } from "./term.ts"

/** An announcement: its date, and its instant if that is known. */
export interface Announced {
  readonly date: string
  readonly time: number | null
}

export interface EventMove {
  /** Mean absolute move, percent: the price of a straddle that covers only the announcement. */
  readonly pct: number
  /** The first expiry after the announcement. */
  readonly expiryAt: number
}

/** Why the announcement's variance cannot be derived. */
export type NoEventMove =
  /** No quoted expiry lies after the announcement. */
  | "no_expiry_after"
  /** No interval between two expiries without an announcement lies next to the announcement's interval. */
  | "no_usual_rate"
  /** The announcement's interval has no more variance than the usual rate gives it. */
  | "no_excess"

/** Companies announce about every 91 days, so the quarter after an announcement is quiet for at least this long. */
const quietMs = 75 * dayMs

/** Days from now, and the total variance at the money until then. */
interface Node {
  readonly days: number
  readonly variance: number
}

const nodeOf = ({ atm, days }: TermPoint): Node => ({ days, variance: (atm! / 100) ** 2 * (days / 365) })

/** Variance per day between two nodes, and the middle of the interval. */
const rateOf = (from: Node, to: Node): { readonly rate: number; readonly middle: number } => ({
  rate: Math.max(0, (to.variance - from.variance) / (to.days - from.days)),
  middle: (from.days + to.days) / 2
})

/** An expiry on the date of an announcement is on an unknown side of it unless the instant is known. */
const isAfter = ({ expiryAt }: TermPoint, { date, time }: Announced): boolean =>
  time === null ? expiryDate(expiryAt) > date : expiryAt > time
const isBefore = ({ expiryAt }: TermPoint, { date, time }: Announced): boolean =>
  time === null ? expiryDate(expiryAt) < date : expiryAt <= time

/**
 * Derives the move that option prices expect from the first of several announcements.
 *
 * The announcement's variance is the total variance between the last expiry before it (or now) and the first expiry
 * after it, less the usual rate times the days between them. The usual rate is that of the neighbouring intervals
 * without an announcement. If both neighbours exist, the rate is interpolated between their middles, because the rate
 * itself rises or falls with the maturity.
 *
 * `announcements` are those of one company, the soonest first.
 */
export const eventMove = (
  term: ReadonlyArray<TermPoint>,
  announcements: readonly [Announced, ...ReadonlyArray<Announced>]
): EventMove | NoEventMove => {
  const [event, next] = announcements
  const known = term.filter(({ atm, days }) => atm !== null && days > 0)
  const [first, second] = known.filter((point) => isAfter(point, event))
  if (first === undefined) return "no_expiry_after"
  const before = known.filter((point) => isBefore(point, event)).map(nodeOf)
  const nodes = [{ days: 0, variance: 0 }, ...before]
  const start = nodes.at(-1)!
  const end = nodeOf(first)
  const isQuiet = second !== undefined &&
    (next === undefined
      ? second.expiryAt <= (event.time ?? Date.parse(event.date)) + quietMs
      : isBefore(second, next))
  const earlier = before.length > 0 ? rateOf(nodes.at(-2)!, start) : null
  const later = isQuiet ? rateOf(end, nodeOf(second)) : null
  const near = earlier ?? later
  if (near === null) return "no_usual_rate"
  const far = later ?? near
  const middle = (start.days + end.days) / 2
  const share = near === far ? 0 : (middle - near.middle) / (far.middle - near.middle)
  const usual = near.rate + share * (far.rate - near.rate)
  const excess = end.variance - start.variance - usual * (end.days - start.days)
  return excess > 0 ? { pct: straddlePct(Math.sqrt(excess)), expiryAt: first.expiryAt } : "no_excess"
}
