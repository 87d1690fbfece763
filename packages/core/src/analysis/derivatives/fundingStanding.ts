import { fundingAnnualised, fundingZ } from "@tapeline/quant/derivatives"
import { fraction } from "../../engine/tool/rounding.ts"
import type { FundingPrint } from "../../market/derivative.ts"
import { dayMs, minuteMs } from "../../market/timeframe.ts"
import { paymentsOf, per8Hours } from "../signals/funding.ts"

/** The number of payments of a z-score. */
export const zPayments = 90
/** The period of payments of a percentile. */
export const percentileMs = 90 * dayMs
/** With fewer payments, neither is reported. */
export const leastPayments = 30

/**
 * Returns a funding rate in the fields of results. The other fields are computed from the rounded rate, so that they
 * are consistent with it.
 */
export const fundingFields = (rate: number, intervalHours: number) => {
  const written = fraction(100 * rate)
  return {
    funding_rate_pct: written,
    rate_8h_pct: per8Hours(written, intervalHours),
    annualised_pct: fundingAnnualised(written, 24 / intervalHours)
  }
}

/** The position of a funding rate among the payments before it. */
export interface FundingStanding {
  /** Null for fewer than `leastPayments`, or if they do not vary. */
  readonly z: number | null
  readonly zN: number
  /** The share of lower payments in 90 days, 0 to 100. Null for fewer than `leastPayments`. */
  readonly percentile: number | null
  readonly percentileN: number
}

/**
 * Ranks a rate among the payments settled before a time. All are converted to rates of 8 hours, so that a change of a
 * venue's interval does not appear as a change of its funding.
 */
export const fundingStanding = (
  rate: number,
  intervalHours: number,
  prints: ReadonlyArray<FundingPrint>,
  time: number
): FundingStanding => {
  const end = Math.floor(time / minuteMs) * minuteMs
  const current = per8Hours(rate, intervalHours)
  const before = paymentsOf(prints).filter((payment) => payment.time < end)
  const sample = before.slice(-zPayments).map((payment) => payment.rate)
  const quarter = before.filter((payment) => payment.time >= end - percentileMs)
  return {
    z: sample.length < leastPayments ? null : fundingZ(current, sample, zPayments),
    zN: sample.length,
    percentile: quarter.length < leastPayments
      ? null
      : (100 * quarter.filter((payment) => payment.rate < current).length) / quarter.length,
    percentileN: quarter.length
  }
}
