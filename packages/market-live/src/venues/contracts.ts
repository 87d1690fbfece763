import { type FundingPayment, hourMs, type Liquidation } from "@tapeline/core/market"

/** Prefixes for multiples of a coin. `1000PEPE`, `1MBABYDOGE` and `SHIB1000` are multiples; `1INCH` is a coin. */
const units: ReadonlyArray<readonly [prefix: string, unit: number]> = [
  ["1000000", 1_000_000],
  ["10000", 10_000],
  ["1000", 1_000],
  ["1M", 1_000_000]
]

/** The coin of a contract's asset, and the number of coins in one unit, because cheap coins trade by the thousand. */
export const coinUnitOf = (asset: string): { readonly coin: string; readonly unit: number } => {
  const suffixed = /^(\p{Lu}+)(1000+)$/u.exec(asset)
  if (suffixed !== null) return { coin: suffixed[1]!, unit: Number(suffixed[2]) }
  const found = units.find(([prefix]) => asset.startsWith(prefix) && /^[^\d]/u.test(asset.slice(prefix.length)))
  return found === undefined ? { coin: asset, unit: 1 } : { coin: asset.slice(found[0].length), unit: found[1] }
}

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]

/** The common name of a dated future on all venues: `BTC-25DEC26`. */
export const datedFutureName = (coin: string, expiryAt: number): string => {
  const date = new Date(expiryAt)
  return `${coin}-${date.getUTCDate()}${months[date.getUTCMonth()]!}${String(date.getUTCFullYear()).slice(2)}`
}

/** A liquidation of a contract: the price is per unit of the contract, the size in dollars with cents. */
export interface ContractLiquidation extends Liquidation {
  readonly symbol: string
}

/** Series of a perpetual contract that several venues provide. */

/** The open interest of a contract, in coins. */
export interface OpenInterestInCoins {
  readonly time: number
  readonly openInterest: number
}

/** The number of accounts with long positions divided by those with short positions. */
export interface AccountRatio {
  readonly time: number
  readonly longShortRatio: number
}

/** A funding payment without the length of its interval. */
interface Payment {
  readonly fundingRate: number
  readonly fundingTime: number
}

const possibleHours = [1, 2, 4, 8]

/** The whole hours between two payments; null if a payment may be missing between them. */
const hoursBetween = (from: number, to: number): number | null => {
  const hours = Math.round((to - from) / hourMs)
  return possibleHours.includes(hours) ? hours : null
}

/**
 * Adds to each payment the length of its interval: the time since the payment before it. If that is unknown, the time
 * to the next payment is used, otherwise the contract's present interval.
 */
export const toFundingPrints = (rows: ReadonlyArray<Payment>, hoursNow: number): ReadonlyArray<FundingPayment> =>
  rows.map(({ fundingRate, fundingTime: time }, i) => {
    const before = rows[i - 1]
    const after = rows[i + 1]
    const known = before === undefined ? null : hoursBetween(before.fundingTime, time)
    const next = after === undefined ? null : hoursBetween(time, after.fundingTime)
    return { time, fundingRate, intervalHours: known ?? next ?? hoursNow }
  })

/** A spot market of one coin. */
export interface SpotMarket {
  /** The venue's ticker of the coin. */
  readonly coin: string
  readonly symbol: string
  readonly quote: string
  /** False if the market is delisted, halted, or not open yet. */
  readonly isTrading: boolean
}
