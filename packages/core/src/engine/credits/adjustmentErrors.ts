import { Schema } from "effect"
import { formatMessage } from "../messages/language.ts"

/** The account has no such call, or the ledger no longer keeps the call. */
export class UnknownCall extends Schema.TaggedError<UnknownCall>()("UnknownCall", { call: Schema.String }) {
  override get message(): string {
    return formatMessage({ key: "unknown_call", params: { call: this.call } }, "en")
  }
}

/** The call is still running, or ended without a charge, so it cannot be refunded. */
export class CallNotCharged extends Schema.TaggedError<CallNotCharged>()("CallNotCharged", { call: Schema.String }) {
  override get message(): string {
    return formatMessage({ key: "call_not_charged", params: { call: this.call } }, "en")
  }
}

/** The call was already refunded by the adjustment with the id `adjustment`. */
export class CallAlreadyRefunded extends Schema.TaggedError<CallAlreadyRefunded>()("CallAlreadyRefunded", {
  call: Schema.String,
  adjustment: Schema.Int
}) {
  override get message(): string {
    const { adjustment, call } = this
    return formatMessage({ key: "call_already_refunded", params: { call, adjustment } }, "en")
  }
}

/** The amount of a refund exceeds the credits that the call was charged. */
export class RefundExceedsCharge extends Schema.TaggedError<RefundExceedsCharge>()("RefundExceedsCharge", {
  call: Schema.String,
  charged: Schema.Int
}) {
  override get message(): string {
    const { call, charged } = this
    return formatMessage({ key: "refund_exceeds_charge", params: { call, charged } }, "en")
  }
}

/** A correction would leave the month with fewer credits than are used and reserved. */
export class CreditsTooLow extends Schema.TaggedError<CreditsTooLow>()("CreditsTooLow", { creditsLeft: Schema.Int }) {
  override get message(): string {
    return formatMessage({ key: "credits_too_low", params: { left: this.creditsLeft } }, "en")
  }
}

/** The amount, the months, or the sum of a month's adjustments is out of range. */
export class AdjustmentOutOfRange extends Schema.TaggedError<AdjustmentOutOfRange>()("AdjustmentOutOfRange", {}) {
  override get message(): string {
    return formatMessage({ key: "adjustment_out_of_range" }, "en")
  }
}
