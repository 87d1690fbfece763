import { liquidationPrice } from "@tapeline/quant/risk"
import { BigDecimal } from "effect"
import { type Decimal, decimal, toNumber } from "./decimal.ts"
import type { Side } from "./records.ts"

/** The assumed maintenance margin: 0.5 % of the notional, without a deduction. */
export const maintenanceMargin = { maintenanceRate: 0.005, maintenanceAmount: 0 } as const

/** A position with isolated margin. The margin is the notional at the entry divided by the leverage. */
export interface LeveragedPosition {
  readonly side: Side
  readonly entry: number | null
  readonly leverage: number | null
}

/** Returns a position's liquidation price, or null for a fully paid long and for an unknown entry or leverage. */
export const computeLiquidationPrice = ({ entry, leverage, side }: LeveragedPosition): number | null =>
  entry === null || leverage === null
    ? null
    // The liquidation price does not depend on the size.
    : liquidationPrice({ side, entry, quantity: 1, wallet: entry / leverage, ...maintenanceMargin })

/** Returns whether a position is liquidated before the price reaches the stop. */
export const isLiquidatedFirst = (side: Side, liquidation: number | null, stop: number | null): boolean =>
  liquidation !== null && stop !== null && (side === "long" ? liquidation >= stop : liquidation <= stop)

/** Rounds a decimal down to `digits` significant digits, and returns 0 unless the value is positive. */
const roundDown = (value: Decimal, digits: number): Decimal => {
  if (!BigDecimal.isPositive(value)) return decimal(0)
  const { scale, value: units } = BigDecimal.normalize(value)
  return BigDecimal.floor(value, digits - String(units).length + scale)
}

const [quantityDigits, usdDigits] = [10, 12]

/** The size of a position that keeps the loss at the stop within the requested risk. */
export interface Sizing {
  readonly quantity: number
  readonly sizeUsd: number
  readonly riskUsd: number
}

/**
 * Returns the size for which the stop costs at most `riskPct` of the account: `quantity = account risk / |entry -
 * stop|` (`positionSize` of @tapeline/quant), rounded down.
 */
export const computeSizing = ({ accountUsd, entry, riskPct, stop }: {
  readonly accountUsd: number
  readonly riskPct: number
  readonly entry: number
  readonly stop: number
}): Sizing => {
  const distance = BigDecimal.abs(BigDecimal.subtract(decimal(entry), decimal(stop)))
  const riskBudgetUsd = BigDecimal.multiply(BigDecimal.multiply(decimal(accountUsd), decimal(riskPct)), decimal(0.01))
  const quantity = roundDown(BigDecimal.divideUnsafe(riskBudgetUsd, distance), quantityDigits)
  return {
    quantity: toNumber(quantity),
    sizeUsd: toNumber(roundDown(BigDecimal.multiply(quantity, decimal(entry)), usdDigits)),
    riskUsd: toNumber(roundDown(BigDecimal.multiply(quantity, distance), usdDigits))
  }
}
