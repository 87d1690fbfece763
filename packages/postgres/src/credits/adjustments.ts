import {
  adjustedMonths,
  type Adjustment,
  type AdjustmentRequest,
  type AdjustmentResult,
  type Failpoints,
  isAdjustmentInRange,
  type LedgerStore,
  monthOf,
  withFailpoints
} from "@tapeline/core/engine"
import { Effect } from "effect"
import { fromMonthNumber, toMonthNumber } from "./batch.ts"
import { toCredits } from "./reads.ts"
import { type Statements, toInstantParameter } from "./statements.ts"

interface AdjustRow {
  readonly verdict: string
  readonly detail: number | null
  readonly instant: number
  readonly first_month: number
  readonly added: number | null
  readonly ids: ReadonlyArray<number> | null
  readonly balance: readonly [allotted: number, adjusted: number, used: number, reserved: number] | null
}

const readResult = (request: AdjustmentRequest, row: AdjustRow): AdjustmentResult => {
  switch (row.verdict) {
    case "adjusted": {
      const { account, kind, reason, reference } = request
      const call = kind === "refund" ? request.call : null
      const months = adjustedMonths(request, monthOf(row.instant))
      const [allotted, adjusted, used, reserved] = row.balance!
      return {
        _tag: "Adjusted",
        adjustments: row.ids!.map((id, i): Adjustment => ({
          id,
          account,
          month: months[i]!,
          kind,
          amount: row.added!,
          reason,
          reference,
          call,
          createdAt: row.instant
        })),
        balance: toCredits({ month: row.first_month, allotted, adjusted, used, reserved })
      }
    }
    case "too_low":
      return { _tag: "BalanceTooLow", creditsLeft: Math.max(0, row.detail!) }
    case "out_of_range":
      return { _tag: "OutOfRange" }
    case "unknown_call":
      return { _tag: "UnknownCall" }
    case "already_refunded":
      return { _tag: "AlreadyRefunded", adjustment: row.detail! }
    case "not_charged":
      return { _tag: "NotCharged" }
    case "exceeds_charge":
      return { _tag: "ExceedsCharge", charged: row.detail! }
    case "no_account":
      return { _tag: "NoAccount" }
    default:
      throw new Error(`Unknown verdict ${row.verdict}`)
  }
}

/** Converts a request to all parameters of the SQL function `credit_adjust` before `p_at`. */
const toParameters = (request: AdjustmentRequest) => {
  const { account, amount, kind, reason, reference } = request
  const month = kind === "refund" || request.month === null ? null : toMonthNumber(request.month)
  const call = kind === "refund" ? [toMonthNumber(request.call.month), String(request.call.entry)] : [null, null]
  return [
    String(account),
    kind,
    amount === null ? null : String(amount),
    month,
    kind === "grant" ? request.months : 1,
    reason,
    reference,
    ...call,
    kind === "correction" && request.allowNegative
  ]
}

interface AdjustmentRow {
  readonly id: number
  readonly month: number
  readonly kind: Adjustment["kind"]
  readonly amount: number
  readonly reason: string
  readonly reference: string | null
  readonly call_month: number | null
  readonly call: number | null
  readonly created_at: number
}

const selectAdjustments = (order: "asc" | "desc") =>
  `select id::float8, month, kind, amount::float8, reason, reference, call_month, call::float8, created_at::float8
  from credit_adjustments
  where account = $1::bigint and id > $2::bigint and ($3::integer is null or month = $3::integer)
  order by id ${order} limit $4::integer`

const toAdjustment =
  (account: number) =>
  ({ amount, call, call_month, created_at, id, kind, month, reason, reference }: AdjustmentRow): Adjustment => ({
    id,
    account,
    month: fromMonthNumber(month),
    kind,
    amount,
    reason,
    reference,
    call: call === null ? null : { month: fromMonthNumber(call_month!), entry: call },
    createdAt: created_at
  })

export const makeAdjustmentMethods = (
  { backgroundPool, queryRows }: Statements,
  runFailpoint: typeof Failpoints.Service
): Pick<LedgerStore["Service"], "adjust" | "adjustments"> => ({
  adjust: (request, options) =>
    isAdjustmentInRange(request)
      ? withFailpoints(runFailpoint, "adjust")(Effect.map(
        queryRows<AdjustRow>(
          "select * from credit_adjust($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
          [...toParameters(request), toInstantParameter(options)],
          backgroundPool.runWithLockTimeout
        ),
        ([row]) => readResult(request, row!)
      ))
      : Effect.succeed({ _tag: "OutOfRange" }),
  adjustments: (account, { after, isNewestFirst = false, limit }, month) =>
    Effect.map(
      queryRows<AdjustmentRow>(selectAdjustments(isNewestFirst ? "desc" : "asc"), [
        String(account),
        String(after),
        month === null ? null : toMonthNumber(month),
        limit
      ]),
      (rows) => rows.map(toAdjustment(account))
    )
})
