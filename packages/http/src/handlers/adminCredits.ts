import {
  type AccountCallBody,
  AccountCallList,
  AdjustCredits,
  AdjustedCreditsBody,
  AdjustmentList,
  servedAdministrationApi
} from "@tapeline/api"
import {
  type AccountCall,
  type AdjustmentRequest,
  Administration,
  formatCallId,
  Ledger,
  type MadeAdjustment,
  parseCallId,
  UnknownAccount
} from "@tapeline/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makeBodyReader } from "../body.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { makeAdminChanges } from "./adminChange.ts"
import { adjustmentBody, usageCredits } from "./creditBodies.ts"
import { defaultPageSize, formatActor, iso, isoOrNull, readPage } from "./responseBodies.ts"

const toRequest = (account: number, body: typeof AdjustCredits.Type): AdjustmentRequest => {
  const { reason, reference = null } = body
  const note = { account, reason, reference }
  switch (body.kind) {
    case "grant":
      return { kind: "grant", amount: body.amount, month: body.month ?? null, months: body.months ?? 1, ...note }
    case "refund":
      // The schema of the body accepts only ids that `parseCallId` can read.
      return { kind: "refund", amount: body.amount ?? null, call: parseCallId(body.call_id)!, ...note }
    case "correction":
      return {
        kind: "correction",
        amount: body.amount,
        month: body.month ?? null,
        allowNegative: body.allow_negative ?? false,
        ...note
      }
  }
}

const adjustedBody = ({ adjustments, balance }: MadeAdjustment): typeof AdjustedCreditsBody.Type => ({
  adjustments: adjustments.map(adjustmentBody),
  month: balance.month,
  credits: usageCredits(balance)
})

const callBody = (
  { actor, call, credits, endedAt, operation, refund, reservedAt, state }: AccountCall
): typeof AccountCallBody.Type => ({
  call_id: formatCallId(call),
  time: iso(reservedAt),
  ended_at: isoOrNull(endedAt),
  operation,
  credits,
  state,
  actor: formatActor(actor),
  refund
})

const readAdjustCredits = makeBodyReader(AdjustCredits)
const respondAdjusted = makeJsonResponder(AdjustedCreditsBody)
const respondAdjustments = makeJsonResponder(AdjustmentList)
const respondCalls = makeJsonResponder(AccountCallList)

/** The handlers of the admin API for adjustments of credits, and for the calls of an account. */
export const layerAdminCredits = HttpApiBuilder.group(
  servedAdministrationApi,
  "adminCredits",
  Effect.fnUntraced(function*(handlers) {
    const [administration, ledger, changes] = yield* Effect.all([Administration, Ledger, makeAdminChanges])
    return handlers
      .handleRaw(
        "adjustCredits",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readAdjustCredits(request)
          return yield* respondAdjusted(
            yield* changes.run({
              operation: "adjustCredits",
              request: { ...params, body },
              headers,
              change: Effect.map(administration.adjustCredits(toRequest(params.id, body)), adjustedBody)
            })
          )
        }))
      )
      .handleRaw(
        "adjustments",
        makeOperation(Effect.fnUntraced(function*({ params: { id }, query: { month, ...page } }) {
          yield* administration.account(id)
          const { next_cursor, part } = yield* readPage((page) => ledger.adjustments(id, page, month), page)
          const balance = yield* ledger.balance(id, month)
          if (balance === null) return yield* new UnknownAccount({ account: id })
          return yield* respondAdjustments({
            adjustments: part.map(adjustmentBody),
            month: balance.month,
            credits: usageCredits(balance),
            next_cursor
          })
        }))
      )
      .handleRaw(
        "calls",
        makeOperation(Effect.fnUntraced(function*({ params, query }) {
          const { cursor = null, limit = defaultPageSize, month = null } = query
          yield* administration.account(params.id)
          const found = yield* ledger.calls({ account: params.id, month, before: cursor, limit: limit + 1 })
          const calls = found.slice(0, limit)
          return yield* respondCalls({
            calls: calls.map(callBody),
            next_cursor: found.length > limit ? calls.at(-1)!.call.entry : null
          })
        }))
      )
  })
)
