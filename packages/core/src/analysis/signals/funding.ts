import { fundingZ } from "@tapeline/quant"
import type { FundingPrint } from "../../market/derivative.ts"
import { dayMs, minuteMs } from "../../market/timeframe.ts"
import { firstFrom } from "./columns.ts"

/** The period of settled payments with which a funding rate is compared: 90 payments of 8 hours, or 720 of one hour. */
export const fundingSampleMs = 30 * dayMs

/** The minimum number of hours that the payments of a sample must cover. */
const leastSampleHours = 240

/** A funding payment in units that all venues share. */
export interface Payment {
  /** Settlement time, epoch ms, rounded down to the minute. Venues report it up to some seconds late. */
  readonly time: number
  /** The fraction of notional per 8 hours, for any interval. */
  readonly rate: number
  /** The length of the paid interval, hours. */
  readonly hours: number
}

/** Converts a rate of an interval to a rate per 8 hours. */
export const per8Hours = (rate: number, intervalHours: number): number => (rate * 8) / intervalHours

export const paymentsOf = (prints: ReadonlyArray<FundingPrint>): ReadonlyArray<Payment> =>
  prints.map(({ fundingRate, intervalHours, time }) => ({
    time: Math.floor(time / minuteMs) * minuteMs,
    rate: per8Hours(fundingRate, intervalHours),
    hours: intervalHours
  }))

/** Returns the payments settled in `[from, to)`. Null if they cover fewer than `leastHours`. */
export const paymentsWithin = (
  payments: ReadonlyArray<Payment>,
  from: number,
  to: number,
  leastHours: number
): ReadonlyArray<number> | null => {
  const found = payments.slice(firstFrom(payments, from), firstFrom(payments, to))
  return found.reduce((sum, { hours }) => sum + hours, 0) < leastHours ? null : found.map(({ rate }) => rate)
}

/** Returns the payments settled in the `fundingSampleMs` before `to`. Null if they are too few for a sample. */
const sampleBefore = (payments: ReadonlyArray<Payment>, to: number): ReadonlyArray<number> | null =>
  paymentsWithin(payments, to - fundingSampleMs, to, leastSampleHours)

/** Ranks a rate per 8 hours among the payments settled in the `fundingSampleMs` before `to`. */
export const fundingRankBefore = (rate: number, payments: ReadonlyArray<Payment>, to: number) => {
  const sample = sampleBefore(payments, to) ?? []
  return {
    /** The share of payments strictly below the rate, 0 to 100. Null without a sample. */
    percentile: sample.length === 0 ? null : (100 * sample.filter((one) => one < rate).length) / sample.length,
    n: sample.length
  }
}

/** Returns the z-score of a rate per 8 hours over the payments settled in the `fundingSampleMs` before `to`. */
export const fundingZBefore = (rate: number, payments: ReadonlyArray<Payment>, to: number): number | null => {
  const sample = sampleBefore(payments, to)
  return sample === null || sample.length < 2 ? null : fundingZ(rate, sample, sample.length)
}

/** Returns the last payment settled at or before a time. Undefined before the first. */
export const lastPayment = (payments: ReadonlyArray<Payment>, time: number): Payment | undefined =>
  payments[firstFrom(payments, time + 1) - 1]
