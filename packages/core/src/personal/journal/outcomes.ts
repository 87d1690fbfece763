import { BigDecimal } from "effect"
import { type Decimal, toNumber, zero } from "./decimal.ts"
import { rOf } from "./profit.ts"
import type { Side, Trade } from "./records.ts"

/** The result of a closed position: all its trades together. */
export interface PositionOutcome {
  readonly positionId: number
  readonly coin: string
  readonly side: Side
  /** After fees. Null if the profit of a trade is unknown. */
  readonly pnlUsd: Decimal | null
  readonly feesUsd: Decimal
  /** The mean R of its trades, weighted by size, or by share if a size is unknown. Null if a trade has no R. */
  readonly r: number | null
  readonly closedAt: number
}

const sum = (values: ReadonlyArray<Decimal | null>): Decimal | null => {
  let total = zero
  for (const value of values) {
    if (value === null) return null
    total = BigDecimal.sum(total, value)
  }
  return total
}

const mergedR = (parts: ReadonlyArray<Trade>): number | null => {
  const sized = parts.every(({ sizeUsd }) => sizeUsd !== null)
  let [weights, weighted] = [0, 0]
  for (const part of parts) {
    const r = rOf(part)
    if (r === null) return null
    const weight = toNumber(sized && part.sizeUsd !== null ? part.sizeUsd : part.share)
    weights += weight
    weighted += weight * r
  }
  return weights > 0 ? weighted / weights : null
}

const outcomeOf = (parts: ReadonlyArray<Trade>): PositionOutcome => {
  const { closedAt, coin, positionId, side } = parts.at(-1)!
  return {
    positionId,
    coin,
    side,
    pnlUsd: sum(parts.map(({ pnlUsd }) => pnlUsd)),
    feesUsd: sum(parts.map(({ feesUsd }) => feesUsd)) ?? zero,
    r: mergedR(parts),
    closedAt
  }
}

/** Groups trades by position and returns the outcomes, ordered by the time of the final close. */
export const outcomesOf = (trades: ReadonlyArray<Trade>): ReadonlyArray<PositionOutcome> => {
  const byPosition = new Map<number, Array<Trade>>()
  for (const trade of trades) {
    const parts = byPosition.get(trade.positionId)
    if (parts === undefined) byPosition.set(trade.positionId, [trade])
    else parts.push(trade)
  }
  return [...byPosition.values()].map(outcomeOf).sort((a, b) => a.closedAt - b.closedAt || a.positionId - b.positionId)
}

/** Returns the profit in dollars, or in R if the dollars are unknown. Null if both are unknown. */
export const worthOf = ({ pnlUsd, r }: PositionOutcome): number | null => pnlUsd === null ? r : toNumber(pnlUsd)
