/**
 * Quarterly results and their effect on a price. A result moves only its company's price, in one step, at the time of
 * its announcement. Announcements are outside the sessions, so trades outside a session use prices that include the
 * result.
 *
 * Earlier publications (estimates, options) contain no information about a result, except its usual deviation. The
 * surprise moves the price. The rest of the move is other news of the announcement.
 */
import { deriveKey, drawNormal, drawUniform, type Key } from "../../kernel/random.ts"
import type { StockSpec } from "../stockSpec.ts"
import { getUsualEps } from "../valuation.ts"
import { getAnnouncement, getFiscalQuarter, getQuarter, type Quarter } from "./fiscalQuarters.ts"

/**
 * The variance of an announcement's move, in variances of a usual day. With the day's own variance, the move is that of
 * 2.6 usual days.
 */
export const eventVariance = 6
/** The standard deviation of a quarter's earnings from the expected ones. */
const surpriseSd = 0.06
/** The correlation of the move with the surprise. */
const surpriseCorrelation = 0.55

const drawSurprise = (key: Key, quarter: Quarter): number => drawNormal(deriveKey(key, quarter, 44), 0)

/** The expected earnings of one quarter per share of 2026: the usual earnings, with their season. */
export const getExpectedEps = (spec: StockSpec, key: Key, quarter: Quarter): number => {
  const season = 1 + 0.1 * Math.sin(2 * Math.PI * (quarter / 4 + drawUniform(key, 43)))
  return getUsualEps(spec, getFiscalQuarter(quarter), key) / 4 * season
}

/** The earnings of one quarter per share of 2026. */
export const getQuarterEps = (spec: StockSpec, key: Key, quarter: Quarter): number => {
  const expected = getExpectedEps(spec, key, quarter)
  // A positive surprise is good news for a company at a loss too.
  return expected + Math.abs(expected) * Math.expm1(surpriseSd * drawSurprise(key, quarter))
}

/** The earnings of four quarters up to a given one, per share of 2026. */
export const getTrailingEps = (spec: StockSpec, key: Key, quarter: Quarter): number =>
  [0, 1, 2, 3].reduce((sum, ago) => sum + getQuarterEps(spec, key, quarter - ago), 0)

/** The price move on a quarter's results, in log points, with a mean return of zero. */
const drawPriceMove = (spec: StockSpec, key: Key, quarter: Quarter): number => {
  const otherNews = drawNormal(deriveKey(key, quarter, 60), 0)
  const deviations = surpriseCorrelation * drawSurprise(key, quarter) +
    Math.sqrt(1 - surpriseCorrelation ** 2) * otherNews
  const sd = spec.dailySd * Math.sqrt(eventVariance)
  return sd * deviations - sd * sd / 2
}

const firstQuarter: Quarter = getQuarter(Date.UTC(2019, 0, 1))
const lastQuarter: Quarter = getQuarter(Date.UTC(2060, 0, 1))

export interface ResultMoves {
  /** The price move of all results announced up to a time, in log points from the reference. */
  readonly getMoveUpTo: (time: number) => number
  /** Returns whether a session, given by its opening, is the first one after a result. */
  readonly isFirstSessionAfterResult: (openAt: number) => boolean
}

/** The price moves of a stock's results from 2019 to 2060. `key` is the stream of its valuation. */
export const makeResultMoves = (spec: StockSpec, key: Key, reference: number): ResultMoves => {
  const times: Array<number> = []
  const openings = new Set<number>()
  const cumulativeMoves: Array<number> = [0]
  for (let quarter = firstQuarter; quarter <= lastQuarter; quarter++) {
    const { session, time } = getAnnouncement(spec, key, quarter)
    times.push(time)
    openings.add(session.openAt)
    cumulativeMoves.push(cumulativeMoves.at(-1)! + drawPriceMove(spec, key, quarter))
  }
  /** The number of results known at a time. */
  const countKnownResults = (time: number): number => {
    let low = 0
    let high = times.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (times[middle]! <= time) low = middle + 1
      else high = middle
    }
    return low
  }
  const referenceSum = cumulativeMoves[countKnownResults(reference)]!
  return {
    getMoveUpTo: (time) => cumulativeMoves[countKnownResults(time)]! - referenceSum,
    isFirstSessionAfterResult: (openAt) => openings.has(openAt)
  }
}
