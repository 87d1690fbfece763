/** The move that option prices imply for one earnings announcement. */
import { dayMs } from "../../market/timeframe.ts"
import { expiryDate } from "./expiry.ts"
import { straddlePct } from "./straddle.ts"
import type { TermPoint } from "./term.ts"

/** An announcement: its date, and its time if known. */
export interface Announced {
  readonly date: string
  readonly time: number | null
}

export interface EventMove {
  /** The mean absolute move, percent: the price of a straddle that covers only the announcement. */
  readonly pct: number
  /** The first expiry after the announcement. */
  readonly expiryAt: number
}

/** Why the announcement's variance cannot be derived. */
export type NoEventMove =
  /** No quoted expiry is after the announcement. */
  | "no_expiry_after"
  /** No interval between two expiries without an announcement is adjacent to the announcement's interval. */
  | "no_usual_rate"
  /** The announcement's interval has no more variance than the usual rate gives it. */
  | "no_excess"

/**
 * Companies announce about every 91 days. The period after an announcement therefore has no other announcement for at
 * least this long.
 */
const quietMs = 75 * dayMs

/** Days from now, and the total at-the-money variance until then. */
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

/** If the time of an announcement is unknown, an expiry on its date counts as neither before nor after it. */
const isAfter = ({ expiryAt }: TermPoint, { date, time }: Announced): boolean =>
  time === null ? expiryDate(expiryAt) > date : expiryAt > time
const isBefore = ({ expiryAt }: TermPoint, { date, time }: Announced): boolean =>
  time === null ? expiryDate(expiryAt) < date : expiryAt <= time

/**
 * Derives the move that option prices imply for the first of several announcements.
 *
 * The announcement's interval is from the last expiry before it (or now) to the first expiry after it. Its variance is
 * the interval's total variance minus the usual rate times the interval's days. The usual rate is that of the adjacent
 * intervals without an announcement. If both exist, the rate is interpolated between their middles, because it rises or
 * falls with the maturity.
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
