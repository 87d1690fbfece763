import { Schema } from "effect"
import type { PlanNotConfigured } from "../../engine/access/plan.ts"
import type {
  ChargeInDoubt,
  IdempotencyKeyReused,
  InvalidArguments,
  KeyOverLimit,
  OverLimit,
  RequestInProgress,
  ScopeRequired,
  UserIdNotAccepted
} from "../../engine/call/errors.ts"
import { formatMessage } from "../../engine/messages/language.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { ProposalState } from "../proposal.ts"

/** The conversation never existed, was deleted, or belongs to another account. */
export class ConversationNotFound extends Schema.TaggedError<ConversationNotFound>()("ConversationNotFound", {
  conversation: Schema.Int
}) {
  override get message(): string {
    return formatMessage({ key: "conversation_not_found", params: { id: this.conversation } }, "en")
  }
}

/** The conversation is still answering a question, which the caller can follow or cancel. */
export class ConversationBusy extends Schema.TaggedError<ConversationBusy>()("ConversationBusy", {
  conversation: Schema.Int
}) {
  override get message(): string {
    return formatMessage({ key: "generation_running" }, "en")
  }
}

/** The conversation has a newer message than the caller saw, so a user's "yes" could accept an unseen proposal. */
export class ConversationChanged extends Schema.TaggedError<ConversationChanged>()("ConversationChanged", {
  /** The id of the message that the caller saw last. */
  shown: Schema.Int,
  /** The id of the conversation's last message, or null if the conversation has no messages. */
  last: Schema.NullOr(Schema.Int)
}) {
  override get message(): string {
    return formatMessage({ key: "conversation_went_on", params: { shown: this.shown } }, "en")
  }
}

/** The account has no proposal with the given id, or its conversation was deleted. */
export class ProposalNotFound extends Schema.TaggedError<ProposalNotFound>()("ProposalNotFound", {
  proposal: Schema.String
}) {
  override get message(): string {
    return formatMessage({ key: "proposal_not_found", params: { id: this.proposal } }, "en")
  }
}

/** The proposal can no longer be accepted or dismissed. */
export class ProposalClosed extends Schema.TaggedError<ProposalClosed>()("ProposalClosed", {
  proposal: Schema.String,
  state: ProposalState
}) {
  override get message(): string {
    return formatMessage({ key: "proposal_closed", params: { id: this.proposal, state: this.state } }, "en")
  }
}

/** The record that the proposal would change has changed since the answer, so nothing was written. */
export class ProposalOutdated extends Schema.TaggedError<ProposalOutdated>()("ProposalOutdated", {
  proposal: Schema.String
}) {
  override get message(): string {
    return formatMessage({ key: "proposal_outdated", params: { id: this.proposal } }, "en")
  }
}

/** The account has used all answers that its plan allows per day, regardless of its credits. */
export class DailyQuotaReached extends Schema.TaggedError<DailyQuotaReached>()("DailyQuotaReached", {
  quota: Schema.Int,
  /** The time at which the account's daily quota is renewed, in ms since 1970. */
  renewsAt: Schema.Finite,
  /** The time until the account's daily quota is renewed, in ms. */
  retryAfterMs: Schema.Finite
}) {
  override get message(): string {
    return formatMessage({ key: "daily_quota_reached", params: { quota: this.quota } }, "en")
  }
}

/**
 * The errors of a question for which no answer was started and nothing was charged. After `ChargeInDoubt`, however, it
 * is unknown whether an answer was started.
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
  | KeyOverLimit
  | PlanNotConfigured
  | ChargeInDoubt
  | StoreUnavailable

/** The errors of methods that read or change a conversation. */
export type ConversationError = ScopeRequired | ConversationNotFound | StoreUnavailable

/** The errors of methods that read a proposal. */
export type ProposalError = ScopeRequired | ProposalNotFound | StoreUnavailable

/**
 * The errors of an acceptance. After `OverLimit`, `KeyOverLimit` and `ScopeRequired`, the proposal is open again. After
 * `RequestInProgress`, `StoreUnavailable` and `ChargeInDoubt`, another acceptance completes the first one.
 */
export type AcceptProposalError =
  | ProposalError
  | ProposalClosed
  | ProposalOutdated
  | OverLimit
  | KeyOverLimit
  | RequestInProgress
  | ChargeInDoubt
