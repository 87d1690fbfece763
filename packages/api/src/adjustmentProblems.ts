import type { AdjustmentError, Message, UnknownAccount } from "@tapeline/core"
import type { ProblemMapping } from "./problemMapping.ts"

/** Maps the errors of adjustments of credits to problem responses. */
export const adjustmentProblems = {
  UnknownCall: {
    code: "not_found",
    sample: { call: "call_202611_4711" },
    problem: ({ call }) => ({ detail: { key: "unknown_call", params: { call } } })
  },
  CallNotCharged: {
    code: "call_not_charged",
    sample: { call: "call_202611_4711" },
    problem: ({ call }) => ({ detail: { key: "call_not_charged", params: { call } } })
  },
  CallAlreadyRefunded: {
    code: "call_already_refunded",
    sample: { call: "call_202611_4711", adjustment: 12 },
    problem: ({ adjustment, call }) => ({
      detail: { key: "call_already_refunded", params: { call, adjustment } },
      fields: { adjustment_id: adjustment }
    })
  },
  RefundExceedsCharge: {
    code: "refund_exceeds_charge",
    sample: { call: "call_202611_4711", charged: 20 },
    problem: ({ call, charged }) => ({
      detail: { key: "refund_exceeds_charge", params: { call, charged } },
      fields: { charged }
    })
  },
  CreditsTooLow: {
    code: "credits_too_low",
    sample: { creditsLeft: 40 },
    problem: ({ creditsLeft: left }) => ({
      detail: { key: "credits_too_low", params: { left } },
      fields: { credits_left: left }
    })
  },
  AdjustmentOutOfRange: {
    code: "invalid_arguments",
    sample: {},
    problem: (_, format) => {
      const detail: Message = { key: "adjustment_out_of_range" }
      return { detail, fields: { issues: [{ path: ["amount"], message: format(detail) }] } }
    }
  }
} satisfies {
  readonly [R in Exclude<AdjustmentError, UnknownAccount> as R["_tag"]]: ProblemMapping<R>
}
