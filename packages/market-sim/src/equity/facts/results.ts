/**
 * Results of quarters and what they do to a price: news of the company alone, at one stroke, at the instant at which
 * they are announced. That lies outside the sessions, so whoever trades then trades at a price that knows them.
 *
 * Nothing that is published before (estimates, options) knows more of a result than how far it usually strays; the
 * surprise moves the price, and the rest of the move is what else was announced with it.
 */
import { derive, type Key, normal, uniform } from "../../kernel/random.ts"
import type { StockSpec } from "../stockSpec.ts"
import { usualEps } from "../valuation.ts"
import { announcementOf, fiscalOf, type Quarter, quarterOf } from "./fiscal.ts"

/** Variance of an announcement's move, in variances of a usual day: with the day's own, moves of 2.6 usual days. */
export const eventVariance = 6
/** Standard deviation of a quarter's earnings about what could be expected. */
const surpriseSd = 0.06
/** Correlation of the move with the surprise. */
const response = 0.55

const surpriseOf = (key: Key, quarter: Quarter): number => normal(derive(key, quarter, 44), 0)

/** Earnings of one quarter per share of 2026 that anyone could expect: the usual ones in their season. */
export const expectedEps = (spec: StockSpec, key: Key, quarter: Quarter): number => {
  const season = 1 + 0.1 * Math.sin(2 * Math.PI * (quarter / 4 + uniform(key, 43)))
  return usualEps(spec, fiscalOf(quarter), key) / 4 * season
}

/** Earnings of one quarter per share of 2026. */
export const quarterEps = (spec: StockSpec, key: Key, quarter: Quarter): number => {
  const expected = expectedEps(spec, key, quarter)
  // A surprise is good news for a company at a loss too.
  return expected + Math.abs(expected) * Math.expm1(surpriseSd * surpriseOf(key, quarter))
}

/** Earnings of the four quarters up to one, per share of 2026. */
export const trailingEps = (spec: StockSpec, key: Key, quarter: Quarter): number =>
  [0, 1, 2, 3].reduce((sum, ago) => sum + quarterEps(spec, key, quarter - ago), 0)

/** The move on a quarter's results, log points; its mean return is nothing. */
const moveOf = (spec: StockSpec, key: Key, quarter: Quarter): number => {
  const other = normal(derive(key, quarter, 60), 0)
  const deviations = response * surpriseOf(key, quarter) + Math.sqrt(1 - response ** 2) * other
  const sd = spec.dailySd * Math.sqrt(eventVariance)
  return sd * deviations - sd * sd / 2
}

const first: Quarter = quarterOf(Date.UTC(2019, 0, 1))
const last: Quarter = quarterOf(Date.UTC(2060, 0, 1))

export interface ResultMoves {
  /** Log points that results announced up to an instant have moved the price, counted from the reference. */
  readonly upTo: (time: number) => number
  /** Whether a session (by its opening) is the first that knows a result. */
  readonly opens: (openAt: number) => boolean
}

/** What results do to a stock from 2019 to 2060; `key` is the stream of its valuation. */
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
  /** How many results are known at an instant. */
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
