import { wilson } from "@tapeline/quant/probability"
import { expectancy } from "@tapeline/quant/risk"
import { BigDecimal } from "effect"
import { type Decimal, toNumber, zero } from "./decimal.ts"
import { computeRMultiple } from "./profit.ts"
import type { Side, Trade } from "./records.ts"

/** The result of a closed position over all its trades. */
export interface PositionOutcome {
  readonly positionId: number
  readonly coin: string
  readonly side: Side
  /** The position's profit after fees, or null if the profit of a trade is unknown. */
  readonly pnlUsd: Decimal | null
  readonly feesUsd: Decimal
  /** The mean R multiple of the position's trades, weighted by size or share, or null if a trade has no R multiple. */
  readonly r: number | null
  readonly closedAt: number
}

const sumOrNull = (values: ReadonlyArray<Decimal | null>): Decimal | null => {
  let total = zero
  for (const value of values) {
    if (value === null) return null
    total = BigDecimal.sum(total, value)
  }
  return total
}

const computeMeanR = (trades: ReadonlyArray<Trade>): number | null => {
  const hasSizes = trades.every(({ sizeUsd }) => sizeUsd !== null)
  let [totalWeight, weightedSum] = [0, 0]
  for (const trade of trades) {
    const r = computeRMultiple(trade)
    if (r === null) return null
    const weight = toNumber(hasSizes && trade.sizeUsd !== null ? trade.sizeUsd : trade.share)
    totalWeight += weight
    weightedSum += weight * r
  }
  return totalWeight > 0 ? weightedSum / totalWeight : null
}

const makeOutcome = (trades: ReadonlyArray<Trade>): PositionOutcome => {
  const { closedAt, coin, positionId, side } = trades.at(-1)!
  return {
    positionId,
    coin,
    side,
    pnlUsd: sumOrNull(trades.map(({ pnlUsd }) => pnlUsd)),
    feesUsd: sumOrNull(trades.map(({ feesUsd }) => feesUsd)) ?? zero,
    r: computeMeanR(trades),
    closedAt
  }
}

/** Groups trades by position and returns the outcomes, ordered by the time of the final close. */
export const groupOutcomes = (trades: ReadonlyArray<Trade>): ReadonlyArray<PositionOutcome> => {
  const byPosition = new Map<number, Array<Trade>>()
  for (const trade of trades) {
    const positionTrades = byPosition.get(trade.positionId)
    if (positionTrades === undefined) byPosition.set(trade.positionId, [trade])
    else positionTrades.push(trade)
  }
  return [...byPosition.values()].map(makeOutcome).sort((a, b) =>
    a.closedAt - b.closedAt || a.positionId - b.positionId
  )
}

/** Returns a position's profit in dollars, or the R multiple if the profit is unknown, or null if both are unknown. */
export const readResult = ({ pnlUsd, r }: PositionOutcome): number | null => pnlUsd === null ? r : toNumber(pnlUsd)

/** The results of a group of positions. */
export interface Tally {
  readonly n: number
  readonly wins: number
  readonly knownResults: number
  readonly winRate: number | null
  readonly expectancyR: number | null
  readonly pnlUsd: Decimal
}

const computeMean = (values: ReadonlyArray<number>): number | null => expectancy(values)

const listRMultiples = (outcomes: ReadonlyArray<PositionOutcome>): ReadonlyArray<number> =>
  outcomes.flatMap(({ r }) => r ?? [])

const sumDecimals = (values: ReadonlyArray<Decimal>): Decimal => values.reduce((a, b) => BigDecimal.sum(a, b), zero)

export const computeTally = (outcomes: ReadonlyArray<PositionOutcome>): Tally => {
  const results = outcomes.flatMap((outcome) => readResult(outcome) ?? [])
  const wins = results.filter((result) => result > 0).length
  return {
    n: outcomes.length,
    wins,
    knownResults: results.length,
    winRate: results.length === 0 ? null : wins / results.length,
    expectancyR: computeMean(listRMultiples(outcomes)),
    pnlUsd: sumDecimals(outcomes.flatMap(({ pnlUsd }) => pnlUsd ?? []))
  }
}

/** Series of consecutive wins or losses. A position with neither profit nor loss ends a series. */
export interface Streaks {
  readonly longestWin: number
  readonly longestLoss: number
  /** The length of the current run: positive for wins, negative for losses. */
  readonly current: number
}

const computeStreaks = (outcomes: ReadonlyArray<PositionOutcome>): Streaks => {
  let [longestWin, longestLoss, current] = [0, 0, 0]
  for (const outcome of outcomes) {
    const sign = Math.sign(readResult(outcome) ?? 0)
    current = sign === 0 ? 0 : Math.sign(current) === sign ? current + sign : sign
    longestWin = Math.max(longestWin, current)
    longestLoss = Math.max(longestLoss, -current)
  }
  return { longestWin, longestLoss, current }
}

export interface Statistics extends Tally {
  readonly wilson: readonly [number, number] | null
  readonly withoutRCount: number
  /** The total profit divided by the total loss, in dollars, or null without a loss. */
  readonly profitFactor: number | null
  readonly averageWinR: number | null
  readonly averageLossR: number | null
  readonly feesUsd: Decimal
  readonly best: PositionOutcome | null
  readonly worst: PositionOutcome | null
  readonly streaks: Streaks
}

/** Sorts outcomes by profit in dollars, best first. If no profit in dollars is known, sorts by R multiple. */
const rankByResult = (outcomes: ReadonlyArray<PositionOutcome>): ReadonlyArray<PositionOutcome> => {
  const withUsd = outcomes.filter(({ pnlUsd }) => pnlUsd !== null)
  const ranked = withUsd.length > 0 ? withUsd : outcomes.filter(({ r }) => r !== null)
  return [...ranked].sort((a, b) => readResult(b)! - readResult(a)!)
}

/** Computes statistics of closed positions, which must be in the order in which they were closed. */
export const computeStatistics = (outcomes: ReadonlyArray<PositionOutcome>): Statistics => {
  const tally = computeTally(outcomes)
  const rMultiples = listRMultiples(outcomes)
  const pnls = outcomes.flatMap(({ pnlUsd }) => pnlUsd ?? [])
  const totalLoss = sumDecimals(pnls.filter((pnl) => BigDecimal.isNegative(pnl)))
  const totalProfit = sumDecimals(pnls.filter((pnl) => BigDecimal.isPositive(pnl)))
  const ranked = rankByResult(outcomes)
  return {
    ...tally,
    wilson: tally.knownResults === 0 ? null : wilson(tally.wins, tally.knownResults),
    withoutRCount: outcomes.length - rMultiples.length,
    profitFactor: BigDecimal.isZero(totalLoss) ? null : toNumber(totalProfit) / -toNumber(totalLoss),
    averageWinR: computeMean(rMultiples.filter((r) => r > 0)),
    averageLossR: computeMean(rMultiples.filter((r) => r < 0)),
    feesUsd: sumDecimals(outcomes.map(({ feesUsd }) => feesUsd)),
    best: ranked[0] ?? null,
    worst: ranked.at(-1) ?? null,
    streaks: computeStreaks(outcomes)
  }
}
