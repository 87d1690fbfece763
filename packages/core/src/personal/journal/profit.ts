import { rMultiple } from "@tapeline/quant/risk"
import { BigDecimal } from "effect"
import { type Decimal, decimal, toNumber, toUsd, zero } from "./decimal.ts"
import type { Position, Side } from "./records.ts"

/** The fields of a position from which profit is computed. */
export type ProfitInputs = Pick<Position, "side" | "sizeUsd" | "entry">

/**
 * Returns the profit at a price before fees in USD: `size (price - entry) / entry`, with the sign reversed for a short.
 * The profit is rounded to 8 decimal places, and null if the size or entry is unknown.
 */
export const computeProfit = ({ entry, side, sizeUsd }: ProfitInputs, price: Decimal): Decimal | null => {
  if (sizeUsd === null || entry === null) return null
  const priceChange = side === "long" ? BigDecimal.subtract(price, entry) : BigDecimal.subtract(entry, price)
  return toUsd(BigDecimal.divideUnsafe(BigDecimal.multiply(sizeUsd, priceChange), entry))
}

/** Returns the R multiple of an exit, or null without an entry or a stop on the losing side of the entry. */
export const computeRMultiple = ({ entry, exit, initialStop, side }: {
  readonly side: Side
  readonly entry: Decimal | null
  readonly exit: Decimal
  readonly initialStop: Decimal | null
}): number | null => {
  if (entry === null || initialStop === null) return null
  const isStopOnLosingSide = side === "long"
    ? BigDecimal.isLessThan(initialStop, entry)
    : BigDecimal.isGreaterThan(initialStop, entry)
  if (!isStopOnLosingSide) return null
  return rMultiple({ side, entry: toNumber(entry), stop: toNumber(initialStop), exit: toNumber(exit) })
}

const shareScale = 12

const one = decimal(1)

/** The closed part and the remaining part of a position. Both parts add up exactly to the position before the close. */
export interface PositionSplit {
  readonly closed: { readonly share: Decimal; readonly sizeUsd: Decimal | null; readonly pnlUsd: Decimal | null }
  /** The remaining part of a position, or null if nothing remains. */
  readonly remainder: { readonly share: Decimal; readonly sizeUsd: Decimal | null } | null
}

const takeFraction = (whole: Decimal, fraction: Decimal, scale: number): Decimal =>
  BigDecimal.normalize(BigDecimal.round(BigDecimal.multiply(whole, fraction), { scale, mode: "half-from-zero" }))

/** Closes a fraction of a position at a price without changing the sum of realised and unrealised profit. */
export const splitPosition = (
  position: Position,
  exit: Decimal,
  fraction: Decimal,
  feesUsd: Decimal
): PositionSplit => {
  const { share, sizeUsd } = position
  const isFullClose = BigDecimal.isGreaterThanOrEqualTo(fraction, one)
  const closedShare = isFullClose ? share : takeFraction(share, fraction, shareScale)
  const closedSize = sizeUsd === null ? null : isFullClose ? sizeUsd : takeFraction(sizeUsd, fraction, 8)
  const leftShare = BigDecimal.subtract(share, closedShare)
  const leftSize = sizeUsd === null || closedSize === null ? null : BigDecimal.subtract(sizeUsd, closedSize)
  // Because rounding leaves no remainder, the whole position is closed.
  const hasNoRemainder = !BigDecimal.isPositive(leftShare) || (leftSize !== null && !BigDecimal.isPositive(leftSize))
  if (hasNoRemainder && !isFullClose) return splitPosition(position, exit, one, feesUsd)
  const [profitBefore, profitAfter] = [
    computeProfit(position, exit),
    hasNoRemainder ? zero : computeProfit({ ...position, sizeUsd: leftSize }, exit)
  ]
  const gross = profitBefore === null || profitAfter === null ? null : BigDecimal.subtract(profitBefore, profitAfter)
  return {
    closed: {
      share: closedShare,
      sizeUsd: closedSize,
      pnlUsd: gross === null ? null : BigDecimal.normalize(BigDecimal.subtract(gross, feesUsd))
    },
    remainder: hasNoRemainder ? null : { share: leftShare, sizeUsd: leftSize }
  }
}
