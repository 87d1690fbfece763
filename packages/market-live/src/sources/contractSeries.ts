/** Series of a perpetual contract, as several venues tell them. */
import { type FundingPrint, hourMs } from "@tapeline/core/market"

/** Open interest of a contract, in coins. */
export interface OpenInterestNow {
  readonly time: number
  readonly openInterest: number
}

/** Accounts that are long over accounts that are short. */
export interface AccountRatio {
  readonly time: number
  readonly longShortRatio: number
}

/** A payment as venues tell it, without the length of its interval. */
interface Payment {
  readonly fundingRate: number
  readonly fundingTime: number
}

const lengths = [1, 2, 4, 8]

/** Between two payments, whole hours; null where one may be missing between them. */
const hoursBetween = (from: number, to: number): number | null => {
  const hours = Math.round((to - from) / hourMs)
  return lengths.includes(hours) ? hours : null
}

/**
 * Payments with the intervals that they end: the time since the payment before. Where that one is not known, the time
 * to the next, else the length that the contract has now.
 */
export const printsOf = (rows: ReadonlyArray<Payment>, hoursNow: number): ReadonlyArray<FundingPrint> =>
  rows.map(({ fundingRate, fundingTime: time }, i) => {
    const before = rows[i - 1]
    const after = rows[i + 1]
    const known = before === undefined ? null : hoursBetween(before.fundingTime, time)
    const next = after === undefined ? null : hoursBetween(time, after.fundingTime)
    return { time, fundingRate, intervalHours: known ?? next ?? hoursNow }
  })
