import { fundingZ } from "@tapeline/quant"
import type { FundingPayment } from "../../market/derivative.ts"
import { dayMs, minuteMs } from "../../market/timeframe.ts"
import { findFirstIndex } from "./candleColumns.ts"

/** The length of the period of earlier payments with which a funding rate is compared, in ms. */
export const fundingSampleMs = 30 * dayMs

/** The minimum total duration of a sample's payments, in hours. */
const minSampleHours = 240

/** A funding payment, with its rate converted to a rate per 8 hours. */
export interface Payment {
  /** The settlement time in epoch ms, rounded down to the full minute. */
  readonly time: number
  /**
   * The funding rate per 8 hours, as a fraction of the notional. A rate of another payment interval is converted to 8
   * hours.
   */
  readonly rate: number
  /** The length of the interval that the payment covers, in hours. */
  readonly hours: number
}

export const toRatePer8Hours = (rate: number, intervalHours: number): number => (rate * 8) / intervalHours

export const toPayments = (prints: ReadonlyArray<FundingPayment>): ReadonlyArray<Payment> =>
  prints.map(({ fundingRate, intervalHours, time }) => ({
    // Venues report a payment some seconds after its settlement.
    time: Math.floor(time / minuteMs) * minuteMs,
    rate: toRatePer8Hours(fundingRate, intervalHours),
    hours: intervalHours
  }))

/**
 * Returns the rates of the payments that were settled in `[from, to)`. Returns null if the payments cover fewer than
 * `minHours` hours.
 */
export const getRatesWithin = (
  payments: ReadonlyArray<Payment>,
  from: number,
  to: number,
  minHours: number
): ReadonlyArray<number> | null => {
  const paymentsInRange = payments.slice(findFirstIndex(payments, from), findFirstIndex(payments, to))
  return paymentsInRange.reduce((sum, { hours }) => sum + hours, 0) < minHours
    ? null
    : paymentsInRange.map(({ rate }) => rate)
}

const getSampleBefore = (payments: ReadonlyArray<Payment>, to: number): ReadonlyArray<number> | null =>
  getRatesWithin(payments, to - fundingSampleMs, to, minSampleHours)

/** Ranks a rate per 8 hours among the payments settled in the `fundingSampleMs` before `to`. */
export const rankFundingBefore = (rate: number, payments: ReadonlyArray<Payment>, to: number) => {
  const sample = getSampleBefore(payments, to) ?? []
  return {
    /** The percentage of payments that were lower than the rate; null without a sample. */
    percentile: sample.length === 0
      ? null
      : (100 * sample.filter((sampleRate) => sampleRate < rate).length) / sample.length,
    n: sample.length
  }
}

/** Returns the z-score of a rate per 8 hours over the payments settled in the `fundingSampleMs` before `to`. */
export const getFundingZScoreBefore = (rate: number, payments: ReadonlyArray<Payment>, to: number): number | null => {
  const sample = getSampleBefore(payments, to)
  return sample === null || sample.length < 2 ? null : fundingZ(rate, sample, sample.length)
}

/** Returns the last payment settled at or before a time, or undefined before the first payment. */
export const findLastPayment = (payments: ReadonlyArray<Payment>, time: number): Payment | undefined =>
  payments[findFirstIndex(payments, time + 1) - 1]
