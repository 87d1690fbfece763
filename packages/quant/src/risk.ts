import {
  checkFiniteSeries,
  checkNotNegative,
  checkPositive,
  checkWithin,
  getSideSign,
  type Series,
  type Side
} from "./check.ts"
import { quantile } from "./volatility/cone.ts"

export type { Side }

/** The result of {@link positionSize}. */
export interface PositionSize {
  /** The notional of the position, in account currency. */
  readonly size: number
  readonly quantity: number
  /** The loss at the stop, before fees. */
  readonly riskAmount: number
  /** The distance of the stop as a fraction of the entry: `|entry - stop| / entry`. */
  readonly stopFraction: number
}

/**
 * Fixed-fractional position size: the size with which the stop costs a given share of the account.
 *
 * Formula: `size = account * risk / (|entry - stop| / entry)`, `quantity = size / entry`. Unit: account currency; risk
 * 0.01 = 1 %.
 * Source: Tharp, Trade Your Way to Financial Freedom (percent risk model).
 *
 * @throws RangeError when account, entry or stop is not above 0, risk is outside [0, 1], or stop equals entry.
 * @example
 * import { positionSize } from "@tapeline/quant"
 * const position = positionSize({ account: 10000, risk: 0.01, entry: 100, stop: 95 })
 * position // => { size: 2000, quantity: 20, riskAmount: 100, stopFraction: 0.05 }
 */
export function positionSize(input: {
  readonly account: number
  readonly risk: number
  readonly entry: number
  readonly stop: number
}): PositionSize {
  const { account, risk, entry, stop } = input
  checkPositive("positionSize", "account", account)
  checkWithin("positionSize", "risk", risk, 0, 1)
  checkPositive("positionSize", "entry", entry)
  checkPositive("positionSize", "stop", stop)
  if (entry === stop) {
    throw new RangeError("positionSize: stop must differ from entry, because the size depends on their distance")
  }
  const riskAmount = account * risk
  const stopFraction = Math.abs(entry - stop) / entry
  const size = riskAmount / stopFraction
  return { size, quantity: size / entry, riskAmount, stopFraction }
}

/**
 * Liquidation price of an isolated linear position.
 *
 * Formula: `(wallet + amount - side quantity entry) / (quantity rate - side quantity)`, with side 1 for long and -1 for
 * short. At the liquidation price, the margin balance equals the maintenance margin, which is also valued at the
 * liquidation price.
 * Units: wallet and amount in quote currency, quantity in the asset, rate 0.005 = 0.5 %. Returns null if no price above
 * 0 leads to a liquidation (a fully paid long). If the wallet just meets the maintenance margin at entry, the result is
 * the entry price. A wallet below the maintenance margin is rejected, because the position would be liquidated as soon
 * as it is opened.
 * Source: Binance, How to Calculate Liquidation Price of USD-M Futures Contracts.
 *
 * @throws RangeError when entry or quantity is not above 0, wallet or the amount is negative, the rate is outside [0,
 * 1), or the wallet is below the maintenance margin at entry.
 * @example
 * import { liquidationPrice } from "@tapeline/quant"
 * const maintenance = { maintenanceRate: 0.005, maintenanceAmount: 0 }
 * liquidationPrice({ side: "long", entry: 20000, quantity: 1, wallet: 400, ...maintenance }) // => 19698.49246231156
 */
export function liquidationPrice(input: {
  readonly side: Side
  readonly entry: number
  readonly quantity: number
  readonly wallet: number
  readonly maintenanceRate?: number | undefined
  readonly maintenanceAmount?: number | undefined
}): number | null {
  const { side, entry, quantity, wallet, maintenanceRate = 0.005, maintenanceAmount = 0 } = input
  const sign = getSideSign("liquidationPrice", side)
  checkPositive("liquidationPrice", "entry", entry)
  checkPositive("liquidationPrice", "quantity", quantity)
  checkNotNegative("liquidationPrice", "wallet", wallet)
  checkNotNegative("liquidationPrice", "maintenanceAmount", maintenanceAmount)
  if (!(maintenanceRate >= 0 && maintenanceRate < 1)) {
    throw new RangeError(`liquidationPrice: maintenanceRate must lie in 0 to below 1, got ${maintenanceRate}`)
  }
  const maintenance = quantity * maintenanceRate * entry - maintenanceAmount
  // Because of rounding, a wallet equal to the maintenance margin can seem slightly smaller.
  if (wallet < maintenance - 4 * Number.EPSILON * (maintenance + maintenanceAmount)) {
    throw new RangeError(
      `liquidationPrice: the wallet (${wallet}) is below the maintenance margin at entry (${maintenance}): the position would be ` +
        "liquidated when it is opened; add to the wallet or lower the quantity"
    )
  }
  const price = (wallet + maintenanceAmount - sign * quantity * entry) / (quantity * maintenanceRate - sign * quantity)
  return price > 0 ? price : null
}

/**
 * R multiple of a trade: the result of the trade in units of the initial risk.
 *
 * Formula: `(exit - entry) * side / |entry - stop|`. Unit: R.
 * Source: Tharp, Trade Your Way to Financial Freedom.
 *
 * @throws RangeError when a price is not above 0, stop equals entry, or the stop is on the wrong side of it.
 * @example
 * import { rMultiple } from "@tapeline/quant"
 * rMultiple({ side: "long", entry: 100, stop: 90, exit: 120 }) // => 2
 */
export function rMultiple(input: {
  readonly side: Side
  readonly entry: number
  readonly stop: number
  readonly exit: number
}): number {
  const { side, entry, stop, exit } = input
  const sign = getSideSign("rMultiple", side)
  checkPositive("rMultiple", "entry", entry)
  checkPositive("rMultiple", "stop", stop)
  checkPositive("rMultiple", "exit", exit)
  if (!((entry - stop) * sign > 0)) {
    throw new RangeError(
      `rMultiple: the stop of a ${side} must be ${
        sign > 0 ? "below" : "above"
      } its entry, got entry ${entry} and stop ${stop}`
    )
  }
  return ((exit - entry) * sign) / Math.abs(entry - stop)
}

/**
 * Expectancy: the mean R multiple.
 *
 * Formula: `mean(r)`. Unit: R per trade. Returns null without trades.
 * Source: Tharp, Trade Your Way to Financial Freedom.
 *
 * @throws RangeError when a value is not finite.
 * @example
 * import { expectancy } from "@tapeline/quant"
 * expectancy([-1, 3, -1, -1, 2, 3]) // => 0.8333333333
 */
export function expectancy(r: Series): number | null {
  checkFiniteSeries("expectancy", "r", r)
  let sum = 0
  for (let i = 0; i < r.length; i++) sum += r[i]!
  return r.length === 0 ? null : sum / r.length
}

/**
 * Historical value at risk: the loss that is exceeded in a given share of cases.
 *
 * Formula: minus the (1 - confidence) quantile of the returns (interpolated, type 7), floored at 0. Unit: the unit of
 * the returns, as a positive number. Returns null for fewer than 20 returns.
 * Source: Jorion, Value at Risk (historical simulation).
 *
 * @throws RangeError when confidence is not inside (0, 1) or a return is not finite.
 * @example
 * import { valueAtRisk } from "@tapeline/quant"
 * valueAtRisk(Array.from({ length: 101 }, (_, i) => (i - 50) / 1000), 0.95) // => 0.045
 */
export function valueAtRisk(returns: Series, confidence = 0.95): number | null {
  checkFiniteSeries("valueAtRisk", "returns", returns)
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`valueAtRisk: confidence must lie inside 0 to 1, got ${confidence}`)
  }
  const loss = returns.length < 20 ? null : quantile(returns, 1 - confidence)
  return loss === null ? null : Math.max(0, -loss)
}
