import { BigDecimal } from "effect"
import { type Decimal, decimal, toNumber } from "./decimal.ts"

/** Downwards to so many significant digits: never more than it was. */
const downTo = (value: Decimal, digits: number): Decimal => {
  if (!BigDecimal.isPositive(value)) return decimal(0)
  const { scale, value: units } = BigDecimal.normalize(value)
  return BigDecimal.floor(value, digits - String(units).length + scale)
}

/** Digits of what is written of a size: as many as results have. */
const [ofQuantity, ofUsd] = [10, 12]

/** A size that risks no more than was asked for, in each of its numbers. */
export interface Sizing {
  readonly quantity: number
  readonly sizeUsd: number
  readonly riskUsd: number
}

/**
 * How much to hold so that the stop costs at most `risk_pct` of the account: `quantity = account risk / |entry - stop|`
 * (`positionSize` of @tapeline/quant), reckoned in decimals and rounded down, so that neither quantity nor size times
 * the distance to the stop exceeds what was asked for.
 */
export const sizeFor = ({ accountUsd, entry, riskPct, stop }: {
  readonly accountUsd: number
  readonly riskPct: number
  readonly entry: number
  readonly stop: number
}): Sizing => {
  const distance = BigDecimal.abs(BigDecimal.subtract(decimal(entry), decimal(stop)))
  const allowed = BigDecimal.multiply(BigDecimal.multiply(decimal(accountUsd), decimal(riskPct)), decimal(0.01))
  const quantity = downTo(BigDecimal.divideUnsafe(allowed, distance), ofQuantity)
  return {
    quantity: toNumber(quantity),
    sizeUsd: toNumber(downTo(BigDecimal.multiply(quantity, decimal(entry)), ofUsd)),
    riskUsd: toNumber(downTo(BigDecimal.multiply(quantity, distance), ofUsd))
  }
}
