/** Ratings of analysts. Each analyst covers a stock for years and reviews it every two or three months. */
import {
  type AnalystRatings,
  dayMs,
  lastSession,
  type RatingChange,
  type RatingGrade,
  type StockRatingChange
} from "@tapeline/core/market"
import { stationaryNoise } from "../../kernel/noise.ts"
import { derive, type Key, normal, uniform } from "../../kernel/random.ts"
import type { World } from "../../world.ts"
import type { Listed } from "../listed.ts"
import { researchFirms } from "./people.ts"

const reviewMs = 75 * dayMs
const shownMs = 180 * dayMs

interface Review {
  readonly time: number
  readonly grade: RatingGrade
  /** The price target for a share of that time. */
  readonly target: number
}

const gradeOf = (opinion: number): RatingGrade =>
  opinion > 1.25
    ? "strong_buy"
    : opinion > 0.25
    ? "buy"
    : opinion > -0.9
    ? "hold"
    : opinion > -1.9
    ? "sell"
    : "strong_sell"

const significant = (x: number): number => Number(x.toPrecision(3))

/** The approximate time of an analyst's next review. */
const wishedAt = (analyst: Key, index: number): number =>
  (index + 0.1 + 0.8 * uniform(derive(analyst, index, 1), 0)) * reviewMs

const coverageOf = (analysts: Key): number => 0.4 + 0.5 * uniform(analysts, 0)

/** Returns whether a firm covers a stock. Six firms cover all stocks, the others some. */
const covers = (house: number, analyst: Key, coverage: number): boolean => house < 6 || uniform(analyst, 5) <= coverage

/** The time of an analyst's review number `index`, within session hours. */
const reviewedAt = ({ spec }: Listed, analyst: Key, index: number): number => {
  const session = lastSession(spec.country, wishedAt(analyst, index))
  return Math.floor(session.openAt + (session.closeAt - session.openAt) * uniform(derive(analyst, index, 1), 1))
}

const review = (world: World, listed: Listed, analyst: Key, index: number): Review => {
  const { spec, market } = listed
  const key = derive(analyst, index, 1)
  const time = reviewedAt(listed, analyst, index)
  const opinion = 0.3 + 0.7 * stationaryNoise(world.key(`consensus ${spec.symbol}`), time, 30 * dayMs, 1_024 * dayMs)
    + 0.7 * normal(analyst, 0) + 0.14 * normal(key, 2)
  const target = market.price(time) * Math.exp(0.06 + 0.09 * opinion + 0.05 * normal(key, 3))
  return { time, grade: gradeOf(opinion), target: significant(target) }
}

/** The index of the last review up to a time. */
const lastIndex = (listed: Listed, analyst: Key, time: number): number => {
  let index = Math.floor(time / reviewMs)
  while (reviewedAt(listed, analyst, index) > time) index--
  return index
}

/** Ratings in which every grade has a target. */
type WholeRatings = AnalystRatings & {
  readonly target: NonNullable<AnalystRatings["target"]>
  readonly changes: ReadonlyArray<RatingChange & { readonly target: number }>
}

/** Grades, targets and recent changes as of `now`. */
export const ratingsAt = (world: World, listed: Listed, now: number): WholeRatings => {
  const { spec, market } = listed
  const counts = { strong_buy: 0, buy: 0, hold: 0, sell: 0, strong_sell: 0 }
  const targets: Array<number> = []
  const changes: Array<RatingChange & { readonly target: number }> = []
  const coverage = coverageOf(world.key(`analysts ${spec.symbol}`))
  /** Converts the target of a review to today's shares. */
  const today = ({ time, target }: Review): number =>
    significant(target * market.shareFactor(time) / market.shareFactor(now))
  for (const [i, firm] of researchFirms.entries()) {
    const analyst = derive(world.key(`analysts ${spec.symbol}`), i, 1)
    if (!covers(i, analyst, coverage)) continue
    const last = lastIndex(listed, analyst, now)
    const current = review(world, listed, analyst, last)
    counts[current.grade]++
    targets.push(today(current))
    for (let index = last;; index--) {
      const here = review(world, listed, analyst, index)
      if (here.time <= Math.max(now - shownMs, market.listedAt)) break
      const before = review(world, listed, analyst, index - 1)
      if (before.grade !== here.grade || today(before) !== today(here)) {
        changes.push({ time: here.time, firm, from: before.grade, to: here.grade, target: today(here) })
      }
    }
  }
  return {
    symbol: spec.symbol,
    time: now,
    counts,
    target: {
      mean: significant(targets.reduce((sum, target) => sum + target, 0) / targets.length),
      low: Math.min(...targets),
      high: Math.max(...targets)
    },
    changes: changes.sort((a, b) => a.time - b.time || a.firm.localeCompare(b.firm))
  }
}

const latestMs = 30 * dayMs

/** The newest `limit` changes of the last 30 days over some stocks, oldest first. */
export const latestChanges = (
  world: World,
  stocks: ReadonlyArray<Listed>,
  limit: number,
  now: number
): ReadonlyArray<StockRatingChange> =>
  stocks
    .flatMap((listed) =>
      ratingsAt(world, listed, now).changes
        .filter(({ time }) => time > now - latestMs)
        .map((change) => ({ ...change, symbol: listed.spec.symbol }))
    )
    .sort((a, b) => a.time - b.time || a.symbol.localeCompare(b.symbol) || a.firm.localeCompare(b.firm))
    .slice(-limit)

/** A change of grade. The target is for a share of that time. */
interface GradeChange {
  readonly time: number
  readonly firm: string
  readonly before: RatingGrade
  readonly after: RatingGrade
  readonly target: number
  readonly better: boolean
}

const order: ReadonlyArray<RatingGrade> = ["strong_sell", "sell", "hold", "buy", "strong_buy"]

/** The maximum time between a session and the planned time of the review after it. */
const slackMs = 6 * dayMs

/** The grade changes with `from <= time < to`, by time. */
export const gradeChanges = (world: World, listed: Listed, from: number, to: number): ReadonlyArray<GradeChange> => {
  const analysts = world.key(`analysts ${listed.spec.symbol}`)
  const coverage = coverageOf(analysts)
  const found: Array<GradeChange> = []
  for (const [i, firm] of researchFirms.entries()) {
    const analyst = derive(analysts, i, 1)
    if (!covers(i, analyst, coverage)) continue
    for (let index = Math.floor(from / reviewMs) - 1; index <= Math.floor((to + slackMs) / reviewMs); index++) {
      const wished = wishedAt(analyst, index)
      if (wished < from - slackMs || wished >= to + slackMs) continue
      const time = reviewedAt(listed, analyst, index)
      if (time < from || time >= to) continue
      const after = review(world, listed, analyst, index)
      const before = review(world, listed, analyst, index - 1)
      if (before.grade === after.grade) continue
      const better = order.indexOf(after.grade) > order.indexOf(before.grade)
      found.push({ time, firm, before: before.grade, after: after.grade, target: after.target, better })
    }
  }
  return found.sort((a, b) => a.time - b.time)
}
