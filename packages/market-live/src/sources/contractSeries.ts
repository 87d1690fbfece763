/** Series of a perpetual contract that several venues provide. */
import { type FundingPrint, hourMs } from "@tapeline/core/market"

/** The open interest of a contract, in coins. */
export interface OpenInterestNow {
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

const lengths = [1, 2, 4, 8]

/** The whole hours between two payments; null if a payment may be missing between them. */
const hoursBetween = (from: number, to: number): number | null => {
  const hours = Math.round((to - from) / hourMs)
  return lengths.includes(hours) ? hours : null
}

/**
 * Adds to each payment the length of its interval: the time since the payment before it. If that is unknown, the time
 * to the next payment is used, otherwise the contract's present interval.
 */
export const printsOf = (rows: ReadonlyArray<Payment>, hoursNow: number): ReadonlyArray<FundingPrint> =>
  rows.map(({ fundingRate, fundingTime: time }, i) => {
    const before = rows[i - 1]
    const after = rows[i + 1]
    const known = before === undefined ? null : hoursBetween(before.fundingTime, time)
    const next = after === undefined ? null : hoursBetween(time, after.fundingTime)
    return { time, fundingRate, intervalHours: known ?? next ?? hoursNow }
  })
