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

/** The account has no such conversation. It never existed, was deleted, or belongs to another account. */
export class ConversationNotFound extends Schema.TaggedError<ConversationNotFound>()("ConversationNotFound", {
  conversation: Schema.Int
}) {
  override get message(): string {
    return formatMessage({ key: "conversation_not_found", params: { id: this.conversation } }, "en")
  }
}

/** The conversation is still answering. The caller can resume the answer or cancel it. */
export class ConversationBusy extends Schema.TaggedError<ConversationBusy>()("ConversationBusy", {
  conversation: Schema.Int
}) {
  override get message(): string {
    return formatMessage({ key: "generation_running" }, "en")
  }
}

/**
 * The conversation no longer ends with the message that the caller saw, and must be read again. Otherwise a yes could
 * accept something else than it was meant for. Unlike with `ConversationBusy`, waiting does not help.
 */
export class ConversationChanged extends Schema.TaggedError<ConversationChanged>()("ConversationWentOn", {
  /** The id of the message that the caller saw. */
  shown: Schema.Int,
  /** The id of the conversation's last message; null if it has no messages. */
  last: Schema.NullOr(Schema.Int)
}) {
  override get message(): string {
    return formatMessage({ key: "conversation_went_on", params: { shown: this.shown } }, "en")
  }
}

/**
 * The account has had the number of answers today that its plan allows. Unlike with `OverLimit`, more credits do not
 * help.
 */
export class DailyQuotaReached extends Schema.TaggedError<DailyQuotaReached>()("DailyQuotaReached", {
  /** The plan's answers per day. */
  quota: Schema.Int,
  /** The end of the day, in ms since 1970. */
  renewsAt: Schema.Finite,
  /** The time until then, in ms. */
  retryAfterMs: Schema.Finite
}) {
  override get message(): string {
    return formatMessage({ key: "daily_quota_reached", params: { quota: this.quota } }, "en")
  }
}

/**
 * The reasons why no answer was begun. Nothing was charged or changed, and nothing runs. `ChargeInDoubt` is the
 * exception: its outcome is unknown.
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
