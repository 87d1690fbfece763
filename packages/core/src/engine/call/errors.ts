import { Schema } from "effect"
import { type Issue, limitIssues } from "../messages/issue.ts"
import { formatMessage } from "../messages/language.ts"
import type { Language } from "../messages/languageCode.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import { FailureCode, failureFields } from "../tool/failure.ts"

/** The error of arguments that contain `user_id`, which is not allowed because the API key determines the account. */
export class UserIdNotAccepted extends Schema.TaggedError<UserIdNotAccepted>()("UserIdNotAccepted", {}) {
  override get message(): string {
    return formatMessage({ key: "user_id_not_accepted" }, "en")
  }
}

/** The error for an unknown tool name. The error suggests the nearest name of a tool that the principal may call. */
export class UnknownTool extends Schema.TaggedError<UnknownTool>()("UnknownTool", {
  tool: Schema.String,
  nearest: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    return formatMessage({ key: "unknown_tool", params: { tool: this.tool, nearest: this.nearest } }, "en")
  }
}

/** The principal lacks the scope that the operation requires. */
export class ScopeRequired extends Schema.TaggedError<ScopeRequired>()("ScopeRequired", {
  required_scope: Schema.String
}) {
  override get message(): string {
    return formatMessage({ key: "scope_required", params: { scope: this.required_scope } }, "en")
  }
}

/**
 * The error of missing, unknown or invalid arguments. The error lists the first faults in the caller's language.
 * `toInvalidArguments` creates the error from all faults.
 */
export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  /** The number of invalid arguments, including arguments whose faults `issues` omits. */
  count: Schema.Int,
  issues: Schema.Array(
    Schema.Struct({
      path: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
      message: Schema.String
    })
  )
}) {
  override get message(): string {
    return this.issues.map(({ message, path }) => [path.join("."), message].filter(Boolean).join(": ")).join(" ")
  }
}

/** Creates the error of a request with `issues`, which can be any number of issues. */
export const toInvalidArguments = (issues: ReadonlyArray<Issue>, language: Language): InvalidArguments =>
  new InvalidArguments({
    count: new Set(issues.map(({ path: [name] }) => name)).size,
    issues: limitIssues(issues, language)
  })

/** The remaining credits of the month do not cover the price of the call. */
export class OverLimit extends Schema.TaggedError<OverLimit>()("OverLimit", {
  price: Schema.Int,
  credits_left: Schema.Int,
  /** The plans with more monthly credits, fewest credits first; empty if the account is on the highest plan. */
  upgrades: Schema.Array(Schema.Struct({ plan: Schema.String, monthly_credits: Schema.Int })),
  /** The time at which the month ends and the credits renew, in epoch ms. */
  renewsAt: Schema.Finite
}) {
  override get message(): string {
    return formatMessage({ key: "over_limit", params: { price: this.price, left: this.credits_left } }, "en")
  }
}

/**
 * The remaining monthly credits of the key do not cover the price of the call. The account itself has enough credits.
 */
export class KeyOverLimit extends Schema.TaggedError<KeyOverLimit>()("KeyOverLimit", {
  price: Schema.Int,
  credits_left: Schema.Int,
  /** The monthly credits of the key. */
  monthly_credits: Schema.Int,
  /** The time at which the month ends and the credits renew, in epoch ms. */
  renewsAt: Schema.Finite
}) {
  override get message(): string {
    const params = { price: this.price, left: this.credits_left, limit: this.monthly_credits }
    return formatMessage({ key: "key_over_limit", params }, "en")
  }
}

/**
 * The error of an idempotency key that was already used for another request. A later retry with the same key also
 * fails.
 */
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {}) {
  override get message(): string {
    return formatMessage({ key: "idempotency_key_reused" }, "en")
  }
}

/**
 * The error of a call that ran but may or may not have been charged, because the store became unavailable. A retry
 * under an equal idempotency key charges the call once.
 */
export class ChargeInDoubt extends Schema.TaggedError<ChargeInDoubt>()("ChargeInDoubt", { cause: Schema.Defect() }) {
  override get message(): string {
    return formatMessage({ key: "in_doubt" }, "en")
  }
}

/** The error of a repeated request whose first request is still running. The caller can retry after `retryAfterMs`. */
export class RequestInProgress extends Schema.TaggedError<RequestInProgress>()("RequestInProgress", {
  retryAfterMs: Schema.Finite
}) {
  override get message(): string {
    return formatMessage({ key: "request_in_progress" }, "en")
  }
}

/**
 * The errors of a rejected call. All errors except `ChargeInDoubt` charge nothing. `ChargeInDoubt` occurs after the
 * tool ran. A call of a pure tool may also be rejected after it ran; its result is discarded.
 */
export type CallRejection =
  | UserIdNotAccepted
  | UnknownTool
  | ScopeRequired
  | InvalidArguments
  | IdempotencyKeyReused
  | RequestInProgress
  | OverLimit
  | KeyOverLimit
  | StoreUnavailable
  | ChargeInDoubt

const envelopeFields = {
  tool: Schema.String,
  credits_used: Schema.Int,
  credits_left: Schema.optionalKey(Schema.Int),
  took_ms: Schema.Finite
}

/**
 * The error of a valid typed call that the tool could not answer, for example for an unknown coin or after a timeout.
 * Nothing was charged.
 */
export class CallFailed extends Schema.TaggedError<CallFailed>()("CallFailed", {
  ...envelopeFields,
  code: FailureCode,
  message: Schema.String,
  retryable: Schema.Boolean,
  /** The stocks that an ambiguous name may mean; absent unless the name is ambiguous. */
  candidates: failureFields.candidates,
  /** The source that failed; absent unless a source was unavailable. */
  source: failureFields.source,
  failure: failureFields.failure
}) {}

/**
 * The error of a charged typed call whose result does not match the caller's specification. The stored response came
 * from another version of the tool, or from another tool with the same name. `data` is the result before decoding.
 */
export class AnswerUnreadable extends Schema.TaggedError<AnswerUnreadable>()("AnswerUnreadable", {
  ...envelopeFields,
  data: Schema.Unknown,
  replayed: Schema.Boolean,
  callId: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    return `${this.tool} returned a result that does not match this specification`
  }
}
