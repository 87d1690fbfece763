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
import { formatMessage } from "../../engine/messages/language.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"

/** The conversation never existed, was deleted, or belongs to another account. */
export class ConversationNotFound extends Schema.TaggedError<ConversationNotFound>()("ConversationNotFound", {
  conversation: Schema.Int
}) {
  override get message(): string {
    return formatMessage({ key: "conversation_not_found", params: { id: this.conversation } }, "en")
  }
}

/** The conversation is still answering a question. The caller can resume or cancel the answer. */
export class ConversationBusy extends Schema.TaggedError<ConversationBusy>()("ConversationBusy", {
  conversation: Schema.Int
}) {
  override get message(): string {
    return formatMessage({ key: "generation_running" }, "en")
  }
}

/**
 * The conversation no longer ends with the message that the caller saw, so a user's "yes" could accept an unseen
 * proposal. The caller must read the conversation again; waiting does not help.
 */
export class ConversationChanged extends Schema.TaggedError<ConversationChanged>()("ConversationWentOn", {
  /** The id of the message that the caller saw last. */
  shown: Schema.Int,
  /** The id of the conversation's last message; null if the conversation has no messages. */
  last: Schema.NullOr(Schema.Int)
}) {
  override get message(): string {
    return formatMessage({ key: "conversation_went_on", params: { shown: this.shown } }, "en")
  }
}

/** The account has used all answers that its plan allows per day, regardless of its credits. */
export class DailyQuotaReached extends Schema.TaggedError<DailyQuotaReached>()("DailyQuotaReached", {
  /** The plan's maximum number of answers per day. */
  quota: Schema.Int,
  /** The end of the day, in ms since 1970. */
  renewsAt: Schema.Finite,
  /** The time until `renewsAt`, in ms. */
  retryAfterMs: Schema.Finite
}) {
  override get message(): string {
    return formatMessage({ key: "daily_quota_reached", params: { quota: this.quota } }, "en")
  }
}

/**
 * The reasons why no answer was started, so that nothing runs and nothing was charged. `ChargeInDoubt` is the
 * exception: the outcome of its charge is unknown.
 */
export type StartAnswerError =
  | UserIdNotAccepted
  | ScopeRequired
  | InvalidArguments
  | ConversationNotFound
  | IdempotencyKeyReused
  | RequestInProgress
  | ConversationBusy
  | ConversationChanged
  | DailyQuotaReached
  | OverLimit
  | PlanNotConfigured
  | ChargeInDoubt
  | StoreUnavailable

/** The errors of methods that read or change a conversation. */
export type ConversationError = ScopeRequired | ConversationNotFound | StoreUnavailable
