import { type FundingPayment, hourMs, type Liquidation } from "@tapeline/core/market"

/**
 * The prefixes that mean a multiple of a coin, as in `1000PEPE` and `1MBABYDOGE`. The `1` in the coin name `1INCH` is
 * no prefix.
 */
const units: ReadonlyArray<readonly [prefix: string, unit: number]> = [
  ["1000000", 1_000_000],
  ["10000", 10_000],
  ["1000", 1_000],
  ["1M", 1_000_000]
]

/**
 * Returns the coin of a contract's asset, and the number of coins in one unit, which is 1,000 or more for cheap coins.
 */
export const coinUnitOf = (asset: string): { readonly coin: string; readonly unit: number } => {
  const suffixed = /^(\p{Lu}+)(1000+)$/u.exec(asset)
  if (suffixed !== null) return { coin: suffixed[1]!, unit: Number(suffixed[2]) }
  const found = units.find(([prefix]) => asset.startsWith(prefix) && /^[^\d]/u.test(asset.slice(prefix.length)))
  return found === undefined ? { coin: asset, unit: 1 } : { coin: asset.slice(found[0].length), unit: found[1] }
}

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]

/** Returns the name of a dated future that is used for all venues, such as `BTC-25DEC26`. */
export const datedFutureName = (coin: string, expiryAt: number): string => {
  const date = new Date(expiryAt)
  return `${coin}-${date.getUTCDate()}${months[date.getUTCMonth()]!}${String(date.getUTCFullYear()).slice(2)}`
}

/** A liquidation of a contract, with the price per contract unit, and the size in dollars with cents. */
export interface ContractLiquidation extends Liquidation {
  readonly symbol: string
}

/** The open interest of a contract, in coins. */
export interface OpenInterestInCoins {
  readonly time: number
  readonly openInterest: number
}

/** The number of accounts with long positions, divided by the number of accounts with short positions. */
export interface AccountRatio {
  readonly time: number
  readonly longShortRatio: number
}

interface Payment {
  readonly fundingRate: number
  readonly fundingTime: number
}

const possibleHours = [1, 2, 4, 8]

/** Returns the whole hours between two funding payments, or null if a payment between them may be missing. */
const hoursBetween = (from: number, to: number): number | null => {
  const hours = Math.round((to - from) / hourMs)
  return possibleHours.includes(hours) ? hours : null
}

/**
 * Adds a funding interval to each funding payment. The funding interval of a payment is the time since the previous
 * payment, or until the next payment, or `hoursNow`.
 */
export const toFundingPrints = (rows: ReadonlyArray<Payment>, hoursNow: number): ReadonlyArray<FundingPayment> =>
  rows.map(({ fundingRate, fundingTime: time }, i) => {
    const before = rows[i - 1]
    const after = rows[i + 1]
    const known = before === undefined ? null : hoursBetween(before.fundingTime, time)
    const next = after === undefined ? null : hoursBetween(time, after.fundingTime)
    return { time, fundingRate, intervalHours: known ?? next ?? hoursNow }
  })

/** A coin's spot market on a venue. */
export interface SpotMarket {
  readonly coin: string
  readonly symbol: string
  readonly quote: string
  /** Whether the market trades, which is false before the opening, during a halt, and after the delisting. */
  readonly isTrading: boolean
}
