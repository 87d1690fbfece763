import { rMultiple } from "@tapeline/quant/risk"
import { BigDecimal } from "effect"
import { type Decimal, decimal, toNumber, toUsd, zero } from "./decimal.ts"
import type { Position, Side } from "./records.ts"

/** What profit is told from: a size, where it was entered, and which way. */
export type Stake = Pick<Position, "side" | "sizeUsd" | "entry">

/**
 * Profit at a price before fees: `size (price - entry) / entry`, its sign turned for a short. USD, to the
 * hundred-millionth; null where size or entry are not known.
 */
export const profitAt = ({ entry, side, sizeUsd }: Stake, price: Decimal): Decimal | null => {
  if (sizeUsd === null || entry === null) return null
  const gained = side === "long" ? BigDecimal.subtract(price, entry) : BigDecimal.subtract(entry, price)
  return toUsd(BigDecimal.divideUnsafe(BigDecimal.multiply(sizeUsd, gained), entry))
}

/**
 * The R multiple of an exit by the first stop that was recorded. Null without one, without an entry, and where that
 * stop lay on the winning side of the entry, so that nothing was at risk.
 */
export const rOf = ({ entry, exit, initialStop, side }: {
  readonly side: Side
  readonly entry: Decimal | null
  readonly exit: Decimal
  readonly initialStop: Decimal | null
}): number | null => {
  if (entry === null || initialStop === null) return null
  const losing = side === "long"
    ? BigDecimal.isLessThan(initialStop, entry)
    : BigDecimal.isGreaterThan(initialStop, entry)
  if (!losing) return null
  return rMultiple({ side, entry: toNumber(entry), stop: toNumber(initialStop), exit: toNumber(exit) })
}

/** Decimals that parts of a position are kept to. */
const shareScale = 12

const one = decimal(1)

/** What a close takes of a position, and what it leaves: the two add up to what was there, to the last digit. */
export interface Parting {
  readonly closed: { readonly share: Decimal; readonly sizeUsd: Decimal | null; readonly pnlUsd: Decimal | null }
  /** Null when nothing is left. */
  readonly left: { readonly share: Decimal; readonly sizeUsd: Decimal | null } | null
}

const partOf = (whole: Decimal, fraction: Decimal, scale: number): Decimal =>
  BigDecimal.normalize(BigDecimal.round(BigDecimal.multiply(whole, fraction), { scale, mode: "half-from-zero" }))

/**
 * Closes a fraction of a position at a price. The part's profit is what the position was worth at that price less what
 * the rest is worth at it, so that realised and unrealised profit together do not change by a close.
 */
export const part = (position: Position, exit: Decimal, fraction: Decimal, feesUsd: Decimal): Parting => {
  const { share, sizeUsd } = position
  const closing = BigDecimal.isGreaterThanOrEqualTo(fraction, one)
  const closedShare = closing ? share : partOf(share, fraction, shareScale)
  const closedSize = sizeUsd === null ? null : closing ? sizeUsd : partOf(sizeUsd, fraction, 8)
  const leftShare = BigDecimal.subtract(share, closedShare)
  const leftSize = sizeUsd === null || closedSize === null ? null : BigDecimal.subtract(sizeUsd, closedSize)
  // So small a rest that rounding took it: the whole is closed.
  const nothing = !BigDecimal.isPositive(leftShare) || (leftSize !== null && !BigDecimal.isPositive(leftSize))
  if (nothing && !closing) return part(position, exit, one, feesUsd)
  const [before, after] = [
    profitAt(position, exit),
    nothing ? zero : profitAt({ ...position, sizeUsd: leftSize }, exit)
  ]
  const gross = before === null || after === null ? null : BigDecimal.subtract(before, after)
  return {
    closed: {
      share: closedShare,
      sizeUsd: closedSize,
      pnlUsd: gross === null ? null : BigDecimal.normalize(BigDecimal.subtract(gross, feesUsd))
    },
    left: nothing ? null : { share: leftShare, sizeUsd: leftSize }
  }
}
