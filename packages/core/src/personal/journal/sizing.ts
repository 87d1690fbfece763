import { BigDecimal } from "effect"
import { type Decimal, decimal, toNumber } from "./decimal.ts"

/** Rounds down to `digits` significant digits. Returns 0 unless the value is positive. */
const downTo = (value: Decimal, digits: number): Decimal => {
  if (!BigDecimal.isPositive(value)) return decimal(0)
  const { scale, value: units } = BigDecimal.normalize(value)
  return BigDecimal.floor(value, digits - String(units).length + scale)
}

/** Significant digits of quantities and of dollar amounts in results. */
const [ofQuantity, ofUsd] = [10, 12]

/** A size whose numbers all stay within the requested risk. */
export interface Sizing {
  readonly quantity: number
  readonly sizeUsd: number
  readonly riskUsd: number
}

/**
 * Returns the size for which the stop costs at most `riskPct` of the account: `quantity = account risk / |entry -
 * stop|` (`positionSize` of @tapeline/quant). Computes in decimals and rounds down, so that neither the quantity nor
 * its product with the stop distance exceeds the request.
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
