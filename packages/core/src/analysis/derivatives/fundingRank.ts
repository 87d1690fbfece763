import { fundingAnnualised, fundingZ } from "@tapeline/quant/derivatives"
import { fraction } from "../../engine/tool/rounding.ts"
import type { FundingPayment } from "../../market/derivative.ts"
import { dayMs, minuteMs } from "../../market/timeframe.ts"
import { toPayments, toRatePer8Hours } from "../signals/funding.ts"

export const zScorePayments = 90
/** The length of the period in which the percentile of a funding rate is computed, in ms. */
export const percentilePeriodMs = 90 * dayMs
/** The minimum number of payments for a z-score or a percentile. */
export const minPayments = 30

/** Returns a funding rate for a tool result: the rounded rate, the rate per 8 hours, and the rate per year. */
export const makeFundingFields = (rate: number, intervalHours: number) => {
  const ratePct = fraction(100 * rate)
  return {
    funding_rate_pct: ratePct,
    rate_8h_pct: toRatePer8Hours(ratePct, intervalHours),
    annualised_pct: fundingAnnualised(ratePct, 24 / intervalHours)
  }
}

/** The z-score and percentile of a funding rate among earlier payments. */
export interface FundingRank {
  /**
   * The z-score of a funding rate among the last 90 payments. The z-score is null if there are fewer than
   * `minPayments`, or if all payments are equal.
   */
  readonly zScore: number | null
  readonly zScoreCount: number
  /** The percentage of payments in the last 90 days that were lower; null if there are fewer than `minPayments`. */
  readonly percentile: number | null
  readonly percentileCount: number
}

/**
 * Ranks a funding rate among the payments that were settled before a time. All rates are converted to rates per 8
 * hours.
 */
export const rankFunding = (
  rate: number,
  intervalHours: number,
  payments: ReadonlyArray<FundingPayment>,
  time: number
): FundingRank => {
  const end = Math.floor(time / minuteMs) * minuteMs
  const current = toRatePer8Hours(rate, intervalHours)
  const earlierPayments = toPayments(payments).filter((payment) => payment.time < end)
  const sample = earlierPayments.slice(-zScorePayments).map((payment) => payment.rate)
  const percentilePayments = earlierPayments.filter((payment) => payment.time >= end - percentilePeriodMs)
  return {
    zScore: sample.length < minPayments ? null : fundingZ(current, sample, zScorePayments),
    zScoreCount: sample.length,
    percentile: percentilePayments.length < minPayments
      ? null
      : (100 * percentilePayments.filter((payment) => payment.rate < current).length) / percentilePayments.length,
    percentileCount: percentilePayments.length
  }
}
