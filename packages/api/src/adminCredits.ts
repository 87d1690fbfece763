import { maxAdjustedCredits, maxGrantMonths } from "@tapeline/core/engine"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { accountParams, changeProblems, NextCursor, PageQuery } from "./admin.ts"
import { AdminAuthorization, adminOperation } from "./authorization.ts"
import { ChangeHeaders } from "./headers.ts"
import { Month, MonthCreditsBody, MonthQuery } from "./meta.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

/* Adjustments of credits, and the calls of an account, in the admin API. */

const Amount = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxAdjustedCredits }))

const AdjustedMonth = Month.annotate({ description: "The month, YYYY-MM; the current month by default" })

const noteFields = {
  reason: Schema.String.annotate({ description: "The reason, for operators. The account's user does not see it" })
    .check(Schema.isBetweenLength(1, 500)),
  reference: Schema.optionalKey(
    Schema.String.annotate({
      description: "A reference, such as an invoice number, which the account's user sees"
    }).check(Schema.isBetweenLength(1, 200))
  )
}

const Grant = Schema.Struct({
  kind: Schema.Literal("grant"),
  amount: Amount.annotate({ description: "The credits to add to each month" }),
  month: Schema.optionalKey(AdjustedMonth),
  months: Schema.optionalKey(
    Schema.Int.annotate({ description: "The number of consecutive months, from `month` on; 1 by default" })
      .check(Schema.isBetween({ minimum: 1, maximum: maxGrantMonths }))
  ),
  ...noteFields
})

const Refund = Schema.Struct({
  kind: Schema.Literal("refund"),
  call_id: Schema.String.annotate({
    description: "The id of the call or answer, such as `call_202611_4711`"
  }).check(
    // `parseCallId` can parse every text that matches the pattern.
    Schema.isPattern(/^call_\d{4}(0[1-9]|1[0-2])_[1-9]\d{0,14}$/u, {
      expected: "the id of a call",
      expectedMessage: { key: "expected_call_id" }
    })
  ),
  amount: Schema.optionalKey(
    Amount.annotate({ description: "The credits to refund; by default, all credits that the call was charged" })
  ),
  ...noteFields
})

const Correction = Schema.Struct({
  kind: Schema.Literal("correction"),
  amount: Schema.Int.annotate({ description: "The credits to add; a negative number removes credits" }).check(
    Schema.isBetween({ minimum: -maxAdjustedCredits, maximum: maxAdjustedCredits }),
    Schema.makeFilter((amount: number) => amount !== 0, {
      expected: "a whole number other than 0",
      expectedMessage: { key: "expected_amount" }
    })
  ),
  month: Schema.optionalKey(AdjustedMonth),
  allow_negative: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether the month may be left with fewer credits than are used and reserved; false by default"
    })
  ),
  ...noteFields
})

export const AdjustCredits = Schema.Union([Grant, Refund, Correction]).annotate({
  expectedMessage: { key: "expected_adjustment" },
  description: "`grant` adds credits to months, `refund` returns the charge of one call to the current month, and " +
    "`correction` adds or removes credits of one month"
})

export const AdjustmentKind = Schema.Literals(["grant", "refund", "correction"])

export const AdjustmentBody = Schema.Struct({
  id: Schema.Int,
  month: Schema.String,
  kind: AdjustmentKind,
  amount: Schema.Int,
  call_id: Schema.NullOr(Schema.String).annotate({ description: "The refunded call; null unless `kind` is `refund`" }),
  reason: Schema.String,
  reference: Schema.NullOr(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "AdminAdjustment", description: "A change of an account's credits" })

export const AdjustedCreditsBody = Schema.Struct({
  adjustments: Schema.Array(AdjustmentBody).annotate({ description: "The new adjustments, one for each month" }),
  month: Schema.String.annotate({ description: "The first adjusted month" }),
  credits: MonthCreditsBody.annotate({ description: "The credits of the first adjusted month after the adjustment" })
}).annotate({ identifier: "AdjustedCredits", description: "The credits are adjusted" })

export const AdjustmentList = Schema.Struct({
  adjustments: Schema.Array(AdjustmentBody),
  month: Schema.String.annotate({ description: "The requested month, or the current one" }),
  credits: MonthCreditsBody.annotate({ description: "The credits of `month`" }),
  next_cursor: NextCursor
}).annotate({ identifier: "AdminAdjustmentList", description: "A page of adjustments, and the credits of a month" })

export const AccountCallBody = Schema.Struct({
  call_id: Schema.String,
  time: Schema.String.annotate({ description: "The time at which the call reserved its credits" }),
  ended_at: Schema.NullOr(Schema.String),
  operation: Schema.String.annotate({ description: "A tool's name, or `agent.answer`" }),
  credits: Schema.Int.annotate({ description: "The price of the call" }),
  state: Schema.Literals(["reserved", "settled", "released", "expired"]).annotate({
    description: "`reserved`: the call is running; `settled`: the credits were charged; `released`: the call ended " +
      "without a charge; `expired`: the process of the call died, and nothing was charged"
  }),
  actor: Schema.String.annotate({ description: "`key ID`, `session ID` or `task ID`" }),
  refund: Schema.NullOr(
    Schema.Struct({ adjustment: Schema.Int, amount: Schema.Int })
  ).annotate({ description: "The refund of the call; null if the call was not refunded" })
}).annotate({ identifier: "AccountCall", description: "A call of an account" })

export const AccountCallList = Schema.Struct({ calls: Schema.Array(AccountCallBody), next_cursor: NextCursor })
  .annotate({ identifier: "AccountCallList", description: "A page of calls" })

/** The admin endpoints for adjustments of credits, and for the calls of an account. */
export const adminCreditsGroup = HttpApiGroup.make("adminCredits")
  .add(
    HttpApiEndpoint.post("adjustCredits", "/admin/v1/accounts/:id/adjustments", {
      params: accountParams,
      payload: AdjustCredits,
      headers: ChangeHeaders,
      success: AdjustedCreditsBody,
      error: problemSchemas(
        ...changeProblems,
        "not_found",
        "call_not_charged",
        "call_already_refunded",
        "refund_exceeds_charge",
        "credits_too_low"
      )
    }).annotateMerge(
      adminOperation("write", {
        identifier: "adjustCredits",
        summary: "Grant, refund or correct credits",
        description:
          "Changes the credits that an account may use in a month. Send an `Idempotency-Key`, so that a repeated " +
          "request adjusts once. A call is refunded at most once."
      })
    ),
    HttpApiEndpoint.get("adjustments", "/admin/v1/accounts/:id/adjustments", {
      params: accountParams,
      query: { ...PageQuery, ...MonthQuery },
      success: AdjustmentList,
      error: problemSchemas("not_found")
    }).annotateMerge(
      adminOperation("read", {
        identifier: "listAdjustments",
        summary: "List adjustments",
        description:
          "Returns the adjustments of an account in pages, oldest first: the adjustments of `month`, or of all months " +
          "without `month`. `credits` are the credits of `month`, or of the current month."
      })
    ),
    HttpApiEndpoint.get("calls", "/admin/v1/accounts/:id/calls", {
      params: accountParams,
      query: { ...PageQuery, ...MonthQuery },
      success: AccountCallList,
      error: problemSchemas("not_found")
    }).annotateMerge(
      adminOperation("read", {
        identifier: "listCalls",
        summary: "List calls",
        description:
          "Returns the calls of an account that reserved credits in `month`, in pages, largest id first. `month` is the " +
          "current month by default."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(AdminAuthorization)
  .middleware(CommonErrors)
  .annotate(
    OpenApi.Description,
    "Adjustments of credits, and calls. Requires an admin token with the scope `x-admin-scope` of the operation."
  )
