import { Schema } from "effect"
import { formatMessage } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import { FailureCode, failureFields } from "../tool/failure.ts"

/** The arguments contain `user_id`. The key determines the account; a call cannot name another account. */
export class UserIdNotAccepted extends Schema.TaggedError<UserIdNotAccepted>()("UserIdNotAccepted", {}) {
  override get message(): string {
    return formatMessage({ key: "user_id_not_accepted" }, "en")
  }
}

/** No tool has this name. `nearest` is a similarly named tool that the principal may call. */
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

/** Arguments are missing, unknown or out of bounds. `issues` lists all of them, in the caller's language. */
export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
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

/**
 * The remaining credits of the month do not cover the price. The caller can change to a higher plan or wait for the
 * renewal.
 */
export class OverLimit extends Schema.TaggedError<OverLimit>()("OverLimit", {
  price: Schema.Int,
  credits_left: Schema.Int,
  /** Plans with more monthly credits, fewest first. Empty on the highest plan. */
  upgrades: Schema.Array(Schema.Struct({ plan: Schema.String, monthly_credits: Schema.Int })),
  /** When the month ends and the credits renew, in epoch ms. */
  renewsAt: Schema.Finite
}) {
  override get message(): string {
    return formatMessage({ key: "over_limit", params: { price: this.price, left: this.credits_left } }, "en")
  }
}

/** The idempotency key belongs to another request. Unlike with `RequestInProgress`, waiting does not help. */
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {}) {
  override get message(): string {
    return formatMessage({ key: "idempotency_key_reused" }, "en")
  }
}

/**
 * The call ran, but the store became unavailable while the call was charged, so the charge may have happened or not. A
 * retry under the same idempotency key charges the call once.
 */
export class ChargeInDoubt extends Schema.TaggedError<ChargeInDoubt>()("ChargeInDoubt", { cause: Schema.Defect() }) {
  override get message(): string {
    return formatMessage({ key: "in_doubt" }, "en")
  }
}

/** The first request under this idempotency key is still running. A retry returns its response. */
export class RequestInProgress extends Schema.TaggedError<RequestInProgress>()("RequestInProgress", {
  retryAfterMs: Schema.Finite
}) {
  override get message(): string {
    return formatMessage({ key: "request_in_progress" }, "en")
  }
}

/**
 * The reasons why a call is rejected. Nothing ran and nothing was charged, except with `ChargeInDoubt`, where neither
 * is known.
 */
export type CallRejection =
  | UserIdNotAccepted
  | UnknownTool
  | ScopeRequired
  | InvalidArguments
  | IdempotencyKeyReused
  | RequestInProgress
  | OverLimit
  | StoreUnavailable
  | ChargeInDoubt

/** The fields of an admitted call's envelope. */
const envelopeFields = {
  tool: Schema.String,
  credits_used: Schema.Int,
  credits_left: Schema.optionalKey(Schema.Int),
  took_ms: Schema.Finite
}

/**
 * A typed call was admitted, but the tool has no answer: an unknown coin, an unavailable source, a timeout. Nothing was
 * charged. Unlike a rejected call, the call itself was valid.
 */
export class CallFailed extends Schema.TaggedError<CallFailed>()("CallFailed", {
  ...envelopeFields,
  code: FailureCode,
  /** The reason, in the caller's language. */
  message: Schema.String,
  /** True if the same call may succeed later without a change. */
  retryable: Schema.Boolean,
  /** Only for an ambiguous name: the stocks that it may mean. */
  candidates: failureFields.candidates,
  /** Only for `source_unavailable`: the source that failed, and the kind of failure. */
  source: failureFields.source,
  failure: failureFields.failure
}) {}

/**
 * A typed call succeeded and was charged, but its result does not match the caller's specification. Either another
 * version of the tool wrote the replayed response, or the toolbox has another tool of that name. `data` is the
 * unchanged result.
 */
export class AnswerUnreadable extends Schema.TaggedError<AnswerUnreadable>()("AnswerUnreadable", {
  ...envelopeFields,
  data: Schema.Unknown,
  replayed: Schema.Boolean
}) {
  override get message(): string {
    return `${this.tool} was answered, but not with the result of this specification`
  }
}
