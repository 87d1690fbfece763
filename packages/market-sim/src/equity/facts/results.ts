/**
 * Simulates quarterly results of companies. Each result changes the stock price once, outside trading sessions.
 * Earnings estimates and option prices do not depend on future results.
 */
import { deriveKey, drawNormal, drawUniform, type Key } from "../../kernel/random.ts"
import type { StockSpec } from "../stockSpec.ts"
import { getUsualEps } from "../valuation.ts"
import { getAnnouncement, getFiscalQuarter, getQuarter, type Quarter } from "./fiscalQuarters.ts"

/** The variance of the price move on an announcement, divided by the variance of a usual day. */
export const eventVariance = 6
/** The relative standard deviation of a quarter's earnings from the expected earnings. */
const surpriseSd = 0.06
/** The correlation between the earnings surprise and the price move. */
const surpriseCorrelation = 0.55

const drawSurprise = (key: Key, quarter: Quarter): number => drawNormal(deriveKey(key, quarter, 44), 0)

/**
 * Returns a company's expected earnings in one quarter, divided by the number of shares at the start of 2026. The
 * earnings have a seasonal pattern.
 */
export const getExpectedEps = (spec: StockSpec, key: Key, quarter: Quarter): number => {
  const season = 1 + 0.1 * Math.sin(2 * Math.PI * (quarter / 4 + drawUniform(key, 43)))
  return getUsualEps(spec, getFiscalQuarter(quarter), key) / 4 * season
}

/** Returns a company's earnings in one quarter, divided by the number of shares at the start of 2026. */
export const getQuarterEps = (spec: StockSpec, key: Key, quarter: Quarter): number => {
  const expected = getExpectedEps(spec, key, quarter)
  // A positive earnings surprise also improves the result of a company that makes a loss.
  return expected + Math.abs(expected) * Math.expm1(surpriseSd * drawSurprise(key, quarter))
}

/**
 * Returns a company's earnings in the four quarters up to `quarter`, divided by the number of shares at the start of
 * 2026.
 */
export const getTrailingEps = (spec: StockSpec, key: Key, quarter: Quarter): number =>
  [0, 1, 2, 3].reduce((sum, ago) => sum + getQuarterEps(spec, key, quarter - ago), 0)

/** Returns the price move after a quarter's results, in log points. The expected return is zero. */
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
  /** Returns the price move of all results announced up to a time, in log points since the reference time. */
  readonly getMoveUpTo: (time: number) => number
  /** Returns whether the session that opens at `openAt` is the first session after a result. */
  readonly isFirstSessionAfterResult: (openAt: number) => boolean
}

/** Computes the price moves that a stock's quarterly results cause from 2019 to 2060. */
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
