/** Simulates analysts, who cover a stock for years and review the stock every two or three months. */
import {
  type AnalystRatings,
  dayMs,
  lastSession,
  type RatingChange,
  type RatingGrade,
  type StockRatingChange
} from "@tapeline/core/market"
import { stationaryNoise } from "../../kernel/noise.ts"
import { deriveKey, drawNormal, drawUniform, type Key } from "../../kernel/random.ts"
import type { World } from "../../world.ts"
import type { StockWithMarket } from "../stockWithMarket.ts"
import { researchFirms } from "./personNames.ts"

const reviewIntervalMs = 75 * dayMs
const shownPeriodMs = 180 * dayMs

interface Review {
  readonly time: number
  readonly grade: RatingGrade
  /** The price target per share at the time of the review, not adjusted for later splits. */
  readonly target: number
}

const toGrade = (opinion: number): RatingGrade =>
  opinion > 1.25
    ? "strong_buy"
    : opinion > 0.25
    ? "buy"
    : opinion > -0.9
    ? "hold"
    : opinion > -1.9
    ? "sell"
    : "strong_sell"

const roundTo3Digits = (x: number): number => Number(x.toPrecision(3))

const getPlannedReviewTime = (analyst: Key, index: number): number =>
  (index + 0.1 + 0.8 * drawUniform(deriveKey(analyst, index, 1), 0)) * reviewIntervalMs

const drawCoverage = (analysts: Key): number => 0.4 + 0.5 * drawUniform(analysts, 0)

/** Returns whether a firm covers a stock; six firms cover all stocks. */
const isCoveredBy = (firmIndex: number, analyst: Key, coverage: number): boolean =>
  firmIndex < 6 || drawUniform(analyst, 5) <= coverage

/** Returns the time of an analyst's review number `index`, within session hours. */
const getReviewTime = ({ spec }: StockWithMarket, analyst: Key, index: number): number => {
  const session = lastSession(spec.country, getPlannedReviewTime(analyst, index))
  return Math.floor(session.openAt + (session.closeAt - session.openAt) * drawUniform(deriveKey(analyst, index, 1), 1))
}

const makeReview = (world: World, listed: StockWithMarket, analyst: Key, index: number): Review => {
  const { spec, market } = listed
  const key = deriveKey(analyst, index, 1)
  const time = getReviewTime(listed, analyst, index)
  const opinion = 0.3 + 0.7 * stationaryNoise(world.getKey(`consensus ${spec.symbol}`), time, 30 * dayMs, 1_024 * dayMs)
    + 0.7 * drawNormal(analyst, 0) + 0.14 * drawNormal(key, 2)
  const target = market.price(time) * Math.exp(0.06 + 0.09 * opinion + 0.05 * drawNormal(key, 3))
  return { time, grade: toGrade(opinion), target: roundTo3Digits(target) }
}

const findLastReviewIndex = (listed: StockWithMarket, analyst: Key, time: number): number => {
  let index = Math.floor(time / reviewIntervalMs)
  while (getReviewTime(listed, analyst, index) > time) index--
  return index
}

type CompleteRatings = AnalystRatings & {
  readonly target: NonNullable<AnalystRatings["target"]>
  readonly changes: ReadonlyArray<RatingChange & { readonly target: number }>
}

/** Returns the grades, price targets and recent rating changes of a stock at `now`. */
export const getRatings = (world: World, listed: StockWithMarket, now: number): CompleteRatings => {
  const { spec, market } = listed
  const counts = { strong_buy: 0, buy: 0, hold: 0, sell: 0, strong_sell: 0 }
  const targets: Array<number> = []
  const changes: Array<RatingChange & { readonly target: number }> = []
  const coverage = drawCoverage(world.getKey(`analysts ${spec.symbol}`))
  /** Adjusts the price target of a review for splits up to `now`. */
  const toCurrentShares = ({ time, target }: Review): number =>
    roundTo3Digits(target * market.getShareFactor(time) / market.getShareFactor(now))
  for (const [i, firm] of researchFirms.entries()) {
    const analyst = deriveKey(world.getKey(`analysts ${spec.symbol}`), i, 1)
    if (!isCoveredBy(i, analyst, coverage)) continue
    const last = findLastReviewIndex(listed, analyst, now)
    const current = makeReview(world, listed, analyst, last)
    counts[current.grade]++
    targets.push(toCurrentShares(current))
    for (let index = last;; index--) {
      const currentReview = makeReview(world, listed, analyst, index)
      if (currentReview.time <= Math.max(now - shownPeriodMs, market.listedAt)) break
      const previousReview = makeReview(world, listed, analyst, index - 1)
      if (
        previousReview.grade !== currentReview.grade ||
        toCurrentShares(previousReview) !== toCurrentShares(currentReview)
      ) {
        changes.push({
          time: currentReview.time,
          firm,
          from: previousReview.grade,
          to: currentReview.grade,
          target: toCurrentShares(currentReview)
        })
      }
    }
  }
  return {
    symbol: spec.symbol,
    time: now,
    counts,
    target: {
      mean: roundTo3Digits(targets.reduce((sum, target) => sum + target, 0) / targets.length),
      low: Math.min(...targets),
      high: Math.max(...targets)
    },
    changes: changes.sort((a, b) => a.time - b.time || a.firm.localeCompare(b.firm))
  }
}

const latestPeriodMs = 30 * dayMs

/** Returns the newest `limit` rating changes of the last 30 days for the given stocks, oldest first. */
export const getLatestChanges = (
  world: World,
  stocks: ReadonlyArray<StockWithMarket>,
  limit: number,
  now: number
): ReadonlyArray<StockRatingChange> =>
  stocks
    .flatMap((listed) =>
      getRatings(world, listed, now).changes
        .filter(({ time }) => time > now - latestPeriodMs)
        .map((change) => ({ ...change, symbol: listed.spec.symbol }))
    )
    .sort((a, b) => a.time - b.time || a.symbol.localeCompare(b.symbol) || a.firm.localeCompare(b.firm))
    .slice(-limit)

/** A change of an analyst's grade, with a price target that is not adjusted for later splits. */
interface GradeChange {
  readonly time: number
  readonly firm: string
  readonly previousGrade: RatingGrade
  readonly grade: RatingGrade
  readonly target: number
  readonly isUpgrade: boolean
}

const gradesWorstFirst: ReadonlyArray<RatingGrade> = ["strong_sell", "sell", "hold", "buy", "strong_buy"]

/** The maximum time between the planned time and the actual time of an analyst's review. */
const sessionToleranceMs = 6 * dayMs

/** Returns the grade changes with `from <= time < to`, oldest first. */
export const getGradeChanges = (
  world: World,
  listed: StockWithMarket,
  from: number,
  to: number
): ReadonlyArray<GradeChange> => {
  const analysts = world.getKey(`analysts ${listed.spec.symbol}`)
  const coverage = drawCoverage(analysts)
  const changes: Array<GradeChange> = []
  for (const [i, firm] of researchFirms.entries()) {
    const analyst = deriveKey(analysts, i, 1)
    if (!isCoveredBy(i, analyst, coverage)) continue
    for (
      let index = Math.floor(from / reviewIntervalMs) - 1;
      index <= Math.floor((to + sessionToleranceMs) / reviewIntervalMs);
      index++
    ) {
      const plannedTime = getPlannedReviewTime(analyst, index)
      if (plannedTime < from - sessionToleranceMs || plannedTime >= to + sessionToleranceMs) continue
      const time = getReviewTime(listed, analyst, index)
      if (time < from || time >= to) continue
      const review = makeReview(world, listed, analyst, index)
      const previousReview = makeReview(world, listed, analyst, index - 1)
      if (previousReview.grade === review.grade) continue
      const isUpgrade = gradesWorstFirst.indexOf(review.grade) > gradesWorstFirst.indexOf(previousReview.grade)
      changes.push({
        time,
        firm,
        previousGrade: previousReview.grade,
        grade: review.grade,
        target: review.target,
        isUpgrade
      })
    }
  }
  return changes.sort((a, b) => a.time - b.time)
}
