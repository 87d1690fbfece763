import type { AdjustmentBody } from "@tapeline/api"
import { type Adjustment, formatCallId, type Ledger, type Month, type MonthCredits } from "@tapeline/core"
import { Effect } from "effect"
import { iso } from "./responseBodies.ts"

/* The credits and adjustments of accounts in responses. */

/** Returns the field `credits` of a response. */
export const usageCredits = ({ adjusted, left, monthlyCredits, reserved, used }: MonthCredits) => ({
  allotted: monthlyCredits,
  adjusted,
  used,
  reserved,
  left
})

/** Converts an adjustment to its form in responses to operators. */
export const adjustmentBody = (
  { amount, call, createdAt, id, kind, month, reason, reference }: Adjustment
): typeof AdjustmentBody.Type => ({
  id,
  month,
  kind,
  amount,
  call_id: call === null ? null : formatCallId(call),
  reason,
  reference,
  created_at: iso(createdAt)
})

/** The maximum number of adjustments in a usage response. */
const maxUsageAdjustments = 100

/** Creates a function that reads the newest adjustments of a month as the account's user sees them. */
export const makeUsageAdjustmentReader = (ledger: Ledger["Service"]) => (account: number, month: Month) =>
  Effect.map(
    ledger.adjustments(account, { after: 0, limit: maxUsageAdjustments, isNewestFirst: true }, month),
    (adjustments) =>
      adjustments.map(adjustmentBody).map(({ amount, call_id, created_at, id, kind, reference }) => ({
        id,
        kind,
        amount,
        call_id,
        reference,
        created_at
      }))
  )
