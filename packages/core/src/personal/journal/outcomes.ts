import { BigDecimal } from "effect"
import { type Decimal, toNumber, zero } from "./decimal.ts"
import { rOf } from "./profit.ts"
import type { Side, Trade } from "./records.ts"

/** What a position came to: the trades that closed it, taken together. */
export interface PositionOutcome {
  readonly positionId: number
  readonly coin: string
  readonly side: Side
  /** After fees; null where a part's is not known. */
  readonly pnlUsd: Decimal | null
  readonly feesUsd: Decimal
  /** Its parts' R, weighted by their size (or their share, where a size is not known); null where a part has none. */
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

/** What positions came to, from all their trades in order; by when each was closed at last. */
export const outcomesOf = (trades: ReadonlyArray<Trade>): ReadonlyArray<PositionOutcome> => {
  const byPosition = new Map<number, Array<Trade>>()
  for (const trade of trades) {
    const parts = byPosition.get(trade.positionId)
    if (parts === undefined) byPosition.set(trade.positionId, [trade])
    else parts.push(trade)
  }
  return [...byPosition.values()].map(outcomeOf).sort((a, b) => a.closedAt - b.closedAt || a.positionId - b.positionId)
}

/** What an outcome is worth in dollars, or in R where dollars are not known; null where neither is. */
export const worthOf = ({ pnlUsd, r }: PositionOutcome): number | null => pnlUsd === null ? r : toNumber(pnlUsd)
