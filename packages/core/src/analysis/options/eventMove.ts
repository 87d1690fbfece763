import { black76 } from "@tapeline/quant/options"
import { dayMs } from "../../market/timeframe.ts"
import { formatExpiryDate } from "./expiry.ts"
import type { TermPoint } from "./termStructure.ts"

/**
 * Returns the undiscounted price of the straddle at the forward, in percent of the forward. This price
 * equals the mean absolute move, `100 E|S_T / F - 1|`. `deviation` is the standard deviation of the log return over the
 * life of the straddle. Source: Black, The pricing of commodity contracts (1976).
 */
export const getStraddlePct = (deviation: number): number =>
  200 * black76({ forward: 1, strike: 1, years: 1, sigma: deviation, type: "call" }).price

/** An earnings announcement: its date, and its time if known. */
export interface Announcement {
  readonly date: string
  readonly time: number | null
}

export interface EventMove {
  /** The mean absolute price move on the announcement, in percent. */
  readonly pct: number
  /** The first expiry after the announcement, in epoch ms. */
  readonly expiryAt: number
}

/** The reason why the announcement's variance cannot be derived. */
export type NoEventMove =
  /** No quoted expiry is after the announcement. */
  | "no_expiry_after"
  /** The usual variance per day is unknown, because no neighbouring interval is free of announcements. */
  | "no_usual_rate"
  /** The options imply no more variance around the announcement than at usual times. */
  | "no_excess"

/** The minimum time between two announcements of a company, in ms. Announcements are usually about 91 days apart. */
const minQuietMs = 75 * dayMs

/** A point of the term structure. `variance` is the total at-the-money variance of the next `days` days. */
interface TermNode {
  readonly days: number
  readonly variance: number
}

const toTermNode = ({ atm, days }: TermPoint): TermNode => ({ days, variance: (atm! / 100) ** 2 * (days / 365) })

/** Returns the variance per day between two expiries, and the middle of the interval, in days from now. */
const getVarianceRate = (from: TermNode, to: TermNode): { readonly rate: number; readonly middle: number } => ({
  rate: Math.max(0, (to.variance - from.variance) / (to.days - from.days)),
  middle: (from.days + to.days) / 2
})

/**
 * Returns whether an expiry is after an announcement. Without an announcement time, an expiry on the same date is not
 * after the announcement.
 */
const isAfter = ({ expiryAt }: TermPoint, { date, time }: Announcement): boolean =>
  time === null ? formatExpiryDate(expiryAt) > date : expiryAt > time
const isBefore = ({ expiryAt }: TermPoint, { date, time }: Announcement): boolean =>
  time === null ? formatExpiryDate(expiryAt) < date : expiryAt <= time

/**
 * Derives the price move that option prices imply for the first of `announcements`. All announcements belong to one
 * company and are sorted soonest first.
 *
 * The announcement's interval lies between the last expiry before the announcement (or now) and the first expiry after
 * the announcement. The announcement's variance is the interval's total variance minus the interval's usual variance.
 * The usual variance per day comes from the neighbouring intervals without an announcement. The usual variance depends
 * on the maturity, so it is interpolated: each neighbouring interval supplies the value at its middle.
 */
export const deriveEventMove = (
  term: ReadonlyArray<TermPoint>,
  announcements: readonly [Announcement, ...ReadonlyArray<Announcement>]
): EventMove | NoEventMove => {
  const [event, next] = announcements
  const quotedPoints = term.filter(({ atm, days }) => atm !== null && days > 0)
  const [first, second] = quotedPoints.filter((point) => isAfter(point, event))
  if (first === undefined) return "no_expiry_after"
  const before = quotedPoints.filter((point) => isBefore(point, event)).map(toTermNode)
  const nodes = [{ days: 0, variance: 0 }, ...before]
  const start = nodes.at(-1)!
  const end = toTermNode(first)
  const isQuiet = second !== undefined &&
    (next === undefined
      ? second.expiryAt <= (event.time ?? Date.parse(event.date)) + minQuietMs
      : isBefore(second, next))
  const earlierRate = before.length > 0 ? getVarianceRate(nodes.at(-2)!, start) : null
  const laterRate = isQuiet ? getVarianceRate(end, toTermNode(second)) : null
  const nearRate = earlierRate ?? laterRate
  if (nearRate === null) return "no_usual_rate"
  const farRate = laterRate ?? nearRate
  const middle = (start.days + end.days) / 2
  const share = nearRate === farRate ? 0 : (middle - nearRate.middle) / (farRate.middle - nearRate.middle)
  const usualRate = nearRate.rate + share * (farRate.rate - nearRate.rate)
  const excess = end.variance - start.variance - usualRate * (end.days - start.days)
  return excess > 0 ? { pct: getStraddlePct(Math.sqrt(excess)), expiryAt: first.expiryAt } : "no_excess"
}
