import { Schema } from "effect"
import { say } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import { FailureCode, failureFields } from "../tool/failure.ts"

/** The arguments hold `user_id`. The account is the key's; a call cannot name another. */
export class UserIdNotAccepted extends Schema.TaggedError<UserIdNotAccepted>()("UserIdNotAccepted", {}) {
  override get message(): string {
    return say({ key: "user_id_not_accepted" }, "en")
  }
}

/** There is no tool of that name. `nearest`: one that the principal may call and that is named almost so. */
export class UnknownTool extends Schema.TaggedError<UnknownTool>()("UnknownTool", {
  tool: Schema.String,
  nearest: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    return say({ key: "unknown_tool", params: { tool: this.tool, nearest: this.nearest } }, "en")
  }
}

/** The principal lacks the scope that the operation requires. */
export class ScopeRequired extends Schema.TaggedError<ScopeRequired>()("ScopeRequired", {
  required_scope: Schema.String
}) {
  override get message(): string {
    return say({ key: "scope_required", params: { scope: this.required_scope } }, "en")
  }
}

/** Arguments are missing, unknown, or out of bounds: every one of them is listed, in the caller's language. */
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

/** The month's credits do not cover the price. There are two ways forward: a higher plan, or the renewal. */
export class OverLimit extends Schema.TaggedError<OverLimit>()("OverLimit", {
  price: Schema.Int,
  credits_left: Schema.Int,
  /** Plans that allot more, cheapest first; empty on the highest. */
  upgrades: Schema.Array(Schema.Struct({ plan: Schema.String, monthly_credits: Schema.Int })),
  /** When the month ends and the credits renew, in epoch ms. */
  renewsAt: Schema.Finite
}) {
  override get message(): string {
    return say({ key: "over_limit", params: { price: this.price, left: this.credits_left } }, "en")
  }
}

/** The idempotency key stands for another request. Unlike `RequestInProgress`, waiting does not help. */
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {}) {
  override get message(): string {
    return say({ key: "idempotency_key_reused" }, "en")
  }
}

/**
 * The call ran, and the store went away while it was charged: it may have been charged or not. Asking again under the
 * same idempotency key charges it once.
 */
export class ChargeInDoubt extends Schema.TaggedError<ChargeInDoubt>()("ChargeInDoubt", { cause: Schema.Defect() }) {
  override get message(): string {
    return say({ key: "in_doubt" }, "en")
  }
}

/** The first request under this idempotency key still runs. Its answer can be had by asking again. */
export class RequestInProgress extends Schema.TaggedError<RequestInProgress>()("RequestInProgress", {
  retryAfterMs: Schema.Finite
}) {
  override get message(): string {
    return say({ key: "request_in_progress" }, "en")
  }
}

/** Why a call was refused. Nothing was charged, and nothing ran; except that of a `ChargeInDoubt` neither is known. */
export type CallRefusal =
  | UserIdNotAccepted
  | UnknownTool
  | ScopeRequired
  | InvalidArguments
  | IdempotencyKeyReused
  | RequestInProgress
  | OverLimit
  | StoreUnavailable
  | ChargeInDoubt

/** The account of a call that was admitted, as its envelope has it. */
const account = {
  tool: Schema.String,
  credits_used: Schema.Int,
  credits_left: Schema.optionalKey(Schema.Int),
  took_ms: Schema.Finite
}

/**
 * A typed call was admitted, and the tool could not answer it: an unknown coin, a source that is down, a timeout.
 * Nothing was charged. Unlike a refusal, nothing was wrong with the call itself.
 */
export class CallFailed extends Schema.TaggedError<CallFailed>()("CallFailed", {
  ...account,
  code: FailureCode,
  /** In the caller's language. */
  message: Schema.String,
  /** True when the same call may succeed later without a change. */
  retryable: Schema.Boolean,
  /** Only of an ambiguous name: the stocks that it may mean. */
  candidates: failureFields.candidates,
  /** Only of `source_unavailable`: the source that failed, and how. */
  source: failureFields.source,
  failure: failureFields.failure
}) {}

/**
 * A typed call was answered and charged, by something else than the specification at hand: a replay of what another
 * version of the tool had answered, or another tool of that name in the toolbox. `data` is the answer as it is.
 */
export class AnswerUnreadable extends Schema.TaggedError<AnswerUnreadable>()("AnswerUnreadable", {
  ...account,
  data: Schema.Unknown,
  replayed: Schema.Boolean
}) {
  override get message(): string {
    return `${this.tool} was answered, but not with the result of this specification`
  }
}
