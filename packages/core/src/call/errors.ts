import { Schema } from "effect"

/** The arguments hold `user_id`. The account is the key's; a call cannot name another. */
export class UserIdNotAccepted extends Schema.TaggedError<UserIdNotAccepted>()("UserIdNotAccepted", {}) {}

/** There is no tool of that name. */
export class UnknownTool extends Schema.TaggedError<UnknownTool>()("UnknownTool", { tool: Schema.String }) {}

/** The principal lacks the scope that the operation requires. */
export class ScopeRequired extends Schema.TaggedError<ScopeRequired>()("ScopeRequired", {
  required_scope: Schema.String
}) {}

/** Arguments are missing, unknown, or out of bounds: every one of them is listed, in the caller's language. */
export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  issues: Schema.Array(
    Schema.Struct({
      path: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
      message: Schema.String
    })
  )
}) {}

/** The month's credits do not cover the price. There are two ways forward: a higher plan, or the renewal. */
export class OverLimit extends Schema.TaggedError<OverLimit>()("OverLimit", {
  price: Schema.Int,
  credits_left: Schema.Int,
  /** Plans that allot more, cheapest first; empty on the highest. */
  upgrades: Schema.Array(Schema.Struct({ plan: Schema.String, monthly_credits: Schema.Int })),
  /** When the month ends and the credits renew, in epoch ms. */
  renewsAt: Schema.Finite
}) {}

/** The idempotency key stands for another request. Unlike `RequestInProgress`, waiting does not help. */
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {}) {}

/**
 * The call ran, and the store went away while it was charged: it may have been charged or not. Asking again under the
 * same idempotency key charges it once.
 */
export class ChargeInDoubt extends Schema.TaggedError<ChargeInDoubt>()("ChargeInDoubt", { cause: Schema.Defect() }) {}

/** The first request under this idempotency key still runs. Its answer can be had by asking again. */
export class RequestInProgress extends Schema.TaggedError<RequestInProgress>()("RequestInProgress", {
  retryAfterMs: Schema.Finite
}) {}
