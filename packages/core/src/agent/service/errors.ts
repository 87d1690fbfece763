import { Schema } from "effect"
import type { PlanNotConfigured } from "../../engine/access/plan.ts"
import type {
  ChargeInDoubt,
  IdempotencyKeyReused,
  InvalidArguments,
  OverLimit,
  RequestInProgress,
  ScopeRequired,
  UserIdNotAccepted
} from "../../engine/call/errors.ts"
import { say } from "../../engine/messages/language.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"

/** The account has no such conversation: it was never made, was removed, or is another account's. */
export class ConversationNotFound extends Schema.TaggedError<ConversationNotFound>()("ConversationNotFound", {
  conversation: Schema.Int
}) {
  override get message(): string {
    return say({ key: "conversation_not_found", params: { id: this.conversation } }, "en")
  }
}

/** The conversation is still answering: there are two ways forward, to resume it or to cancel it. */
export class ConversationBusy extends Schema.TaggedError<ConversationBusy>()("ConversationBusy", {
  conversation: Schema.Int
}) {
  override get message(): string {
    return say({ key: "generation_running" }, "en")
  }
}

/**
 * The conversation does not end any more with the message that was shown to who asks, and is to be read again: a yes
 * would accept something else than it was meant for. Unlike with `ConversationBusy`, to wait does not help.
 */
export class ConversationWentOn extends Schema.TaggedError<ConversationWentOn>()("ConversationWentOn", {
  /** The message that was shown. */
  shown: Schema.Int,
  /** The one that it ends with; null where it has none. */
  last: Schema.NullOr(Schema.Int)
}) {
  override get message(): string {
    return say({ key: "conversation_went_on", params: { shown: this.shown } }, "en")
  }
}

/** The account has had as many answers today as its plan allows. Unlike `OverLimit`, more credits do not help. */
export class DailyQuotaReached extends Schema.TaggedError<DailyQuotaReached>()("DailyQuotaReached", {
  /** Answers a day of the account's plan. */
  quota: Schema.Int,
  /** When the day ends, in epoch ms. */
  renewsAt: Schema.Finite,
  /** How long that is from now. */
  retryAfterMs: Schema.Finite
}) {
  override get message(): string {
    return say({ key: "daily_quota_reached", params: { quota: this.quota } }, "en")
  }
}

/**
 * Why no answer was begun. Nothing was charged, nothing runs, and no conversation was changed; except that of a
 * `ChargeInDoubt` none of this is known.
 */
export type AnswerRefusal =
  | UserIdNotAccepted
  | ScopeRequired
  | InvalidArguments
  | ConversationNotFound
  | IdempotencyKeyReused
  | RequestInProgress
  | ConversationBusy
  | ConversationWentOn
  | DailyQuotaReached
  | OverLimit
  | PlanNotConfigured
  | ChargeInDoubt
  | StoreUnavailable

/** Why something about a conversation cannot be told or done. */
export type ConversationRefusal = ScopeRequired | ConversationNotFound | StoreUnavailable
