import { fundingAnnualised, fundingZ } from "@tapeline/quant/derivatives"
import { fraction } from "../../engine/tool/rounding.ts"
import type { FundingPrint } from "../../market/derivative.ts"
import { dayMs, minuteMs } from "../../market/timeframe.ts"
import { paymentsOf, per8Hours } from "../signals/funding.ts"

/** Payments that a z-score is told over. */
export const zPayments = 90
/** The span of payments that a percentile is told over. */
export const percentileMs = 90 * dayMs
/** Of fewer payments neither is told. */
export const leastPayments = 30

/** A funding rate as results have it: what follows from it follows from the number that is written. */
export const fundingFields = (rate: number, intervalHours: number) => {
  const written = fraction(100 * rate)
  return {
    funding_rate_pct: written,
    rate_8h_pct: per8Hours(written, intervalHours),
    annualised_pct: fundingAnnualised(written, 24 / intervalHours)
  }
}

/** Where a funding rate stands among the payments before it. */
export interface FundingStanding {
  /** Null under `leastPayments`, and where they do not vary. */
  readonly z: number | null
  readonly zN: number
  /** Share of the payments of 90 days that were lower, 0 to 100; null under `leastPayments`. */
  readonly percentile: number | null
  readonly percentileN: number
}

/**
 * The standing of a rate among payments settled before an instant, all as rates of 8 hours, so that a venue's change of
 * its interval is no change of its funding.
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
