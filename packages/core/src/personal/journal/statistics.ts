import { wilson } from "@tapeline/quant/probability"
import { expectancy } from "@tapeline/quant/risk"
import { BigDecimal } from "effect"
import { type Decimal, toNumber, zero } from "./decimal.ts"
import { type PositionOutcome, worthOf } from "./outcomes.ts"

/** The results of a group of positions. */
export interface Tally {
  readonly n: number
  readonly wins: number
  /** The number of positions whose result is known. */
  readonly judged: number
  readonly winRate: number | null
  readonly expectancyR: number | null
  readonly pnlUsd: Decimal
}

const meanOf = (values: ReadonlyArray<number>): number | null => expectancy(values)

const rsOf = (outcomes: ReadonlyArray<PositionOutcome>): ReadonlyArray<number> => outcomes.flatMap(({ r }) => r ?? [])

const sumOf = (values: ReadonlyArray<Decimal>): Decimal => values.reduce((a, b) => BigDecimal.sum(a, b), zero)

export const tallyOf = (outcomes: ReadonlyArray<PositionOutcome>): Tally => {
  const worths = outcomes.flatMap((one) => worthOf(one) ?? [])
  const wins = worths.filter((worth) => worth > 0).length
  return {
    n: outcomes.length,
    wins,
    judged: worths.length,
    winRate: worths.length === 0 ? null : wins / worths.length,
    expectancyR: meanOf(rsOf(outcomes)),
    pnlUsd: sumOf(outcomes.flatMap(({ pnlUsd }) => pnlUsd ?? []))
  }
}

/** Runs of consecutive wins or losses. A result of 0 ends a run. */
export interface Streaks {
  readonly longestWin: number
  readonly longestLoss: number
  /** The current run: positive for wins, negative for losses. */
  readonly current: number
}

const streaksOf = (outcomes: ReadonlyArray<PositionOutcome>): Streaks => {
  let [longestWin, longestLoss, current] = [0, 0, 0]
  for (const outcome of outcomes) {
    const sign = Math.sign(worthOf(outcome) ?? 0)
    current = sign === 0 ? 0 : Math.sign(current) === sign ? current + sign : sign
    longestWin = Math.max(longestWin, current)
    longestLoss = Math.max(longestLoss, -current)
  }
  return { longestWin, longestLoss, current }
}

export interface Statistics extends Tally {
  readonly wilson: readonly [number, number] | null
  readonly withoutR: number
  /** Total profit divided by total loss, in dollars. Null without a loss. */
  readonly profitFactor: number | null
  readonly averageWinR: number | null
  readonly averageLossR: number | null
  readonly feesUsd: Decimal
  readonly best: PositionOutcome | null
  readonly worst: PositionOutcome | null
  readonly streaks: Streaks
}

/** Sorts by dollars, best first. Ranks by R only if no outcome has dollars. */
const byWorth = (outcomes: ReadonlyArray<PositionOutcome>): ReadonlyArray<PositionOutcome> => {
  const inUsd = outcomes.filter(({ pnlUsd }) => pnlUsd !== null)
  const ranked = inUsd.length > 0 ? inUsd : outcomes.filter(({ r }) => r !== null)
  return [...ranked].sort((a, b) => worthOf(b)! - worthOf(a)!)
}

/** Computes statistics. Requires the order in which the positions were closed. */
export const statisticsOf = (outcomes: ReadonlyArray<PositionOutcome>): Statistics => {
  const tally = tallyOf(outcomes)
  const rs = rsOf(outcomes)
  const pnls = outcomes.flatMap(({ pnlUsd }) => pnlUsd ?? [])
  const lost = sumOf(pnls.filter((pnl) => BigDecimal.isNegative(pnl)))
  const won = sumOf(pnls.filter((pnl) => BigDecimal.isPositive(pnl)))
  const ranked = byWorth(outcomes)
  return {
    ...tally,
    wilson: tally.judged === 0 ? null : wilson(tally.wins, tally.judged),
    withoutR: outcomes.length - rs.length,
    profitFactor: BigDecimal.isZero(lost) ? null : toNumber(won) / -toNumber(lost),
    averageWinR: meanOf(rs.filter((r) => r > 0)),
    averageLossR: meanOf(rs.filter((r) => r < 0)),
    feesUsd: sumOf(outcomes.map(({ feesUsd }) => feesUsd)),
    best: ranked[0] ?? null,
    worst: ranked.at(-1) ?? null,
    streaks: streaksOf(outcomes)
  }
}
