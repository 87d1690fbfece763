/**
 * Quarterly results and their effect on a price. A result moves only its company's price, in one step, at the time of
 * its announcement. Announcements are outside the sessions, so trades outside a session use prices that include the
 * result.
 *
 * Earlier publications (estimates, options) contain no information about a result, except its usual deviation. The
 * surprise moves the price. The rest of the move is other news of the announcement.
 */
import { derive, type Key, normal, uniform } from "../../kernel/random.ts"
import type { StockSpec } from "../stockSpec.ts"
import { usualEps } from "../valuation.ts"
import { announcementOf, fiscalOf, type Quarter, quarterOf } from "./fiscal.ts"

/**
 * The variance of an announcement's move, in variances of a usual day. With the day's own variance, the move is that of
 * 2.6 usual days.
 */
export const eventVariance = 6
/** The standard deviation of a quarter's earnings from the expected ones. */
const surpriseSd = 0.06
/** The correlation of the move with the surprise. */
const response = 0.55

const surpriseOf = (key: Key, quarter: Quarter): number => normal(derive(key, quarter, 44), 0)

/** The expected earnings of one quarter per share of 2026: the usual earnings, with their season. */
export const expectedEps = (spec: StockSpec, key: Key, quarter: Quarter): number => {
  const season = 1 + 0.1 * Math.sin(2 * Math.PI * (quarter / 4 + uniform(key, 43)))
  return usualEps(spec, fiscalOf(quarter), key) / 4 * season
}

/** The earnings of one quarter per share of 2026. */
export const quarterEps = (spec: StockSpec, key: Key, quarter: Quarter): number => {
  const expected = expectedEps(spec, key, quarter)
  // A positive surprise is good news for a company at a loss too.
  return expected + Math.abs(expected) * Math.expm1(surpriseSd * surpriseOf(key, quarter))
}

/** The earnings of four quarters up to a given one, per share of 2026. */
export const trailingEps = (spec: StockSpec, key: Key, quarter: Quarter): number =>
  [0, 1, 2, 3].reduce((sum, ago) => sum + quarterEps(spec, key, quarter - ago), 0)

/** The price move on a quarter's results, in log points, with a mean return of zero. */
const moveOf = (spec: StockSpec, key: Key, quarter: Quarter): number => {
  const other = normal(derive(key, quarter, 60), 0)
  const deviations = response * surpriseOf(key, quarter) + Math.sqrt(1 - response ** 2) * other
  const sd = spec.dailySd * Math.sqrt(eventVariance)
  return sd * deviations - sd * sd / 2
}

const first: Quarter = quarterOf(Date.UTC(2019, 0, 1))
const last: Quarter = quarterOf(Date.UTC(2060, 0, 1))

export interface ResultMoves {
  /** The price move of all results announced up to a time, in log points from the reference. */
  readonly upTo: (time: number) => number
  /** Returns whether a session, given by its opening, is the first one after a result. */
  readonly opens: (openAt: number) => boolean
}

/** The price moves of a stock's results from 2019 to 2060. `key` is the stream of its valuation. */
export const resultMoves = (spec: StockSpec, key: Key, reference: number): ResultMoves => {
  const times: Array<number> = []
  const openings = new Set<number>()
  const sums: Array<number> = [0]
  for (let quarter = first; quarter <= last; quarter++) {
    const { session, time } = announcementOf(spec, key, quarter)
    times.push(time)
    openings.add(session.openAt)
    sums.push(sums.at(-1)! + moveOf(spec, key, quarter))
  }
  /** The number of results known at a time. */
  const known = (time: number): number => {
    let low = 0
    let high = times.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (times[middle]! <= time) low = middle + 1
      else high = middle
    }
    return low
  }
  const atReference = sums[known(reference)]!
  return {
    upTo: (time) => sums[known(time)]! - atReference,
    opens: (openAt) => openings.has(openAt)
  }
}
