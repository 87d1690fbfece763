import type { CallReference } from "./callId.ts"
import { isMonth, type Month, monthAfter } from "./month.ts"

/**
 * A requested change of the credits that an account may use in a month, in addition to the plan's credits:
 *
 * - `grant` adds `amount` to each of `months` consecutive months, from `month` on.
 * - `correction` adds `amount`, which may be negative, to `month`. If the month would have fewer credits than are used
 *   and reserved, the correction is refused, unless `allowNegative` is true.
 * - `refund` adds the charge of a settled call, or `amount` if it is not null, to the current month.
 *
 * If `month` is null, the current month is used. `reason` and `reference` must not contain U+0000 or lone surrogates.
 */
export type AdjustmentRequest =
  & { readonly account: number; readonly reason: string; readonly reference: string | null }
  & (
    | { readonly kind: "grant"; readonly amount: number; readonly month: Month | null; readonly months: number }
    | {
      readonly kind: "correction"
      readonly amount: number
      readonly month: Month | null
      readonly allowNegative: boolean
    }
    | { readonly kind: "refund"; readonly amount: number | null; readonly call: CallReference }
  )

/** A stored adjustment. The amounts of a month's adjustments add up to the month's adjusted credits. */
export interface Adjustment {
  /** A positive integer that ascends in the order in which the adjustments of an account are committed. */
  readonly id: number
  readonly account: number
  readonly month: Month
  readonly kind: "grant" | "refund" | "correction"
  readonly amount: number
  readonly reason: string
  readonly reference: string | null
  /** The refunded call; null unless `kind` is `refund`. */
  readonly call: CallReference | null
  readonly createdAt: number
}

/** A page of adjustments. */
export interface AdjustmentPage {
  /** Returns adjustments whose ids are above `after`. */
  readonly after: number
  /** The maximum number of adjustments, at least 1. */
  readonly limit: number
  /** Whether the newest adjustments come first; the oldest ones by default. */
  readonly isNewestFirst?: boolean | undefined
}

/** The maximum absolute value of one adjustment, and of the sum of a month's adjustments. */
export const maxAdjustedCredits = 1e15

/**
 * Returns credits left as a safe integer of at least 0. The sum of the credits of a plan and of adjustments can exceed
 * the safe integers.
 */
export const toCreditsLeft = (credits: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, credits))

/** The maximum number of months of one grant. */
export const maxGrantMonths = 120

/** Returns the adjusted months of a request, in order. `now` is the current month. */
export const adjustedMonths = (request: AdjustmentRequest, now: Month): ReadonlyArray<Month> => {
  if (request.kind === "refund") return [now]
  const first = request.month ?? now
  return Array.from({ length: request.kind === "grant" ? request.months : 1 }, (_, i) => monthAfter(first, i))
}

const isAmountInRange = (amount: number, min: number): boolean =>
  Number.isInteger(amount) && amount !== 0 && amount >= min && amount <= maxAdjustedCredits

const isMonthInRange = (month: Month): boolean => isMonth(month) && month.startsWith("2")

/**
 * Returns whether the amount and the months of a request are in range. Months from 2000-01 to 2999-12 are in range. For
 * any other request, a store returns `OutOfRange`.
 */
export const isAdjustmentInRange = (request: AdjustmentRequest): boolean => {
  if (request.kind === "refund") return request.amount === null || isAmountInRange(request.amount, 1)
  if (request.month !== null && !isMonthInRange(request.month)) return false
  if (request.kind === "correction") return isAmountInRange(request.amount, -maxAdjustedCredits)
  const { amount, month, months } = request
  return isAmountInRange(amount, 1) && Number.isInteger(months) && months >= 1 && months <= maxGrantMonths &&
    (month === null || isMonthInRange(monthAfter(month, months - 1)))
}
