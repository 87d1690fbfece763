import { fundingAnnualised, fundingZ } from "@tapeline/quant/derivatives"
import { fraction } from "../../engine/tool/rounding.ts"
import type { FundingPayment } from "../../market/derivative.ts"
import { dayMs, minuteMs } from "../../market/timeframe.ts"
import { toPayments, toRatePer8Hours } from "../signals/funding.ts"

/** The number of payments of a z-score. */
export const zScorePayments = 90
/** The period of payments of a percentile. */
export const percentilePeriodMs = 90 * dayMs
/** With fewer payments, neither is reported. */
export const minPayments = 30

/**
 * Returns a funding rate in the fields of results. The other fields are computed from the rounded rate, so that they
 * are consistent with it.
 */
export const makeFundingFields = (rate: number, intervalHours: number) => {
  const ratePct = fraction(100 * rate)
  return {
    funding_rate_pct: ratePct,
    rate_8h_pct: toRatePer8Hours(ratePct, intervalHours),
    annualised_pct: fundingAnnualised(ratePct, 24 / intervalHours)
  }
}

/** The position of a funding rate among the payments before it. */
export interface FundingRank {
  /** Null for fewer than `minPayments`, or if they do not vary. */
  readonly zScore: number | null
  readonly zScoreCount: number
  /** The share of lower payments in 90 days, 0 to 100. Null for fewer than `minPayments`. */
  readonly percentile: number | null
  readonly percentileCount: number
}

/**
 * Ranks a rate among the payments settled before a time. All are converted to rates of 8 hours, so that a change of a
 * venue's interval does not appear as a change of its funding.
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
