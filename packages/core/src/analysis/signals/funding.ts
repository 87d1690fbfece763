import { fundingZ } from "@tapeline/quant"
import type { FundingPrint } from "../../market/derivative.ts"
import { dayMs, minuteMs } from "../../market/timeframe.ts"
import { firstFrom } from "./columns.ts"

/** The span of settled payments that a funding rate is compared with: 90 of 8 hours, 720 of one. */
export const fundingSampleMs = 30 * dayMs

/** The fewest hours of it that payments must cover to make a sample. */
const leastSampleHours = 240

/** A funding payment put in terms that venues share. */
export interface Payment {
  /** Settlement, epoch ms: venues stamp it up to some seconds late, and here it stands on its minute. */
  readonly time: number
  /** Fraction of notional per 8 hours, whatever the interval was. */
  readonly rate: number
  /** Length of the interval that it paid for, hours. */
  readonly hours: number
}

/** A rate of an interval as one of 8 hours. */
export const per8Hours = (rate: number, intervalHours: number): number => (rate * 8) / intervalHours

export const paymentsOf = (prints: ReadonlyArray<FundingPrint>): ReadonlyArray<Payment> =>
  prints.map(({ fundingRate, intervalHours, time }) => ({
    time: Math.floor(time / minuteMs) * minuteMs,
    rate: per8Hours(fundingRate, intervalHours),
    hours: intervalHours
  }))

/** The payments settled in `[from, to)`; null when they cover fewer than `leastHours`. */
export const paymentsWithin = (
  payments: ReadonlyArray<Payment>,
  from: number,
  to: number,
  leastHours: number
): ReadonlyArray<number> | null => {
  const found = payments.slice(firstFrom(payments, from), firstFrom(payments, to))
  return found.reduce((sum, { hours }) => sum + hours, 0) < leastHours ? null : found.map(({ rate }) => rate)
}

/** The payments settled in the `fundingSampleMs` before `to`; null when they make no sample. */
const sampleBefore = (payments: ReadonlyArray<Payment>, to: number): ReadonlyArray<number> | null =>
  paymentsWithin(payments, to - fundingSampleMs, to, leastSampleHours)

/** Where a rate per 8 hours stands among the payments settled in the `fundingSampleMs` before `to`. */
export const fundingRankBefore = (rate: number, payments: ReadonlyArray<Payment>, to: number) => {
  const sample = sampleBefore(payments, to) ?? []
  return {
    /** Share of them strictly below it, 0 to 100; null where they make no sample. */
    percentile: sample.length === 0 ? null : (100 * sample.filter((one) => one < rate).length) / sample.length,
    n: sample.length
  }
}

/** The z-score of a rate per 8 hours over the payments settled in the `fundingSampleMs` before `to`. */
export const fundingZBefore = (rate: number, payments: ReadonlyArray<Payment>, to: number): number | null => {
  const sample = sampleBefore(payments, to)
  return sample === null || sample.length < 2 ? null : fundingZ(rate, sample, sample.length)
}

/** The payment settled last by an instant; undefined before the first. */
export const lastPayment = (payments: ReadonlyArray<Payment>, time: number): Payment | undefined =>
  payments[firstFrom(payments, time + 1) - 1]
