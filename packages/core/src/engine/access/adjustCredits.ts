import { Effect } from "effect"
import type { AdjustmentRequest } from "../credits/adjustment.ts"
import {
  AdjustmentOutOfRange,
  CallAlreadyRefunded,
  CallNotCharged,
  CreditsTooLow,
  RefundExceedsCharge,
  UnknownCall
} from "../credits/adjustmentErrors.ts"
import { formatCallId } from "../credits/callId.ts"
import type { Ledger } from "../credits/Ledger.ts"
import type { AdjustmentResult } from "../credits/LedgerStore.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type { AdminStore, NewEvent } from "./AdminStore.ts"
import { UnknownAccount } from "./KeyStore.ts"

/** The result of an adjustment that was made. */
export type MadeAdjustment = Omit<Extract<AdjustmentResult, { readonly _tag: "Adjusted" }>, "_tag">

/** The reasons for which an adjustment is rejected. */
export type AdjustmentError =
  | UnknownAccount
  | UnknownCall
  | CallNotCharged
  | CallAlreadyRefunded
  | RefundExceedsCharge
  | CreditsTooLow
  | AdjustmentOutOfRange

const toError = (
  request: AdjustmentRequest,
  result: Exclude<AdjustmentResult, { readonly _tag: "Adjusted" }>
): AdjustmentError => {
  const call = request.kind === "refund" ? formatCallId(request.call) : ""
  switch (result._tag) {
    case "NoAccount":
      return new UnknownAccount({ account: request.account })
    case "UnknownCall":
      return new UnknownCall({ call })
    case "NotCharged":
      return new CallNotCharged({ call })
    case "AlreadyRefunded":
      return new CallAlreadyRefunded({ call, adjustment: result.adjustment })
    case "ExceedsCharge":
      return new RefundExceedsCharge({ call, charged: result.charged })
    case "BalanceTooLow":
      return new CreditsTooLow({ creditsLeft: result.creditsLeft })
    case "OutOfRange":
      return new AdjustmentOutOfRange()
  }
}

/**
 * Returns the event of an adjustment. `before` and `after` contain the adjusted credits of the first adjusted month.
 * `after` also contains the fields of the request and the ids of the stored adjustments.
 */
const toEvent = (request: AdjustmentRequest, { adjustments, balance }: MadeAdjustment): NewEvent => {
  const { account, kind, reason, reference } = request
  const [{ amount, id }] = adjustments as [MadeAdjustment["adjustments"][number]] // A request has at least one month.
  return {
    type: "credits.adjusted",
    account,
    target: `adjustment ${id}`,
    before: { month: balance.month, adjusted: balance.adjusted - amount },
    after: {
      month: balance.month,
      adjusted: balance.adjusted,
      kind,
      amount,
      months: adjustments.length,
      adjustments: adjustments.map((one) => one.id),
      reason,
      reference,
      call_id: kind === "refund" ? formatCallId(request.call) : null
    }
  }
}

/** Creates a function that makes an adjustment and records its event, in one transaction. */
export const makeAdjustCredits =
  (ledger: Ledger["Service"], adminStore: AdminStore["Service"]) =>
  (request: AdjustmentRequest): Effect.Effect<MadeAdjustment, AdjustmentError | StoreUnavailable> =>
    adminStore.transact(Effect.flatMap(
      ledger.adjust(request),
      Effect.fnUntraced(function*(result): Effect.fn.Return<MadeAdjustment, AdjustmentError | StoreUnavailable> {
        if (result._tag !== "Adjusted") return yield* Effect.fail(toError(request, result))
        yield* adminStore.record([toEvent(request, result)])
        return result
      })
    ))
