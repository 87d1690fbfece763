import { Context, type Effect, Schema, type Stream } from "effect"
import type { Principal } from "../../engine/access/account.ts"
import { Language } from "../../engine/messages/languageCode.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import type { ChatMessage, Conversation } from "../conversation.ts"
import type { ConversationPage, MessageOrder } from "../ConversationStore.ts"
import { AnswerError, disclaimerField, type LoggedEvent, Outcome, ShownProposal } from "../event.ts"
import { figureFields } from "../figures/figure.ts"
import type { Generation } from "../generation.ts"
import type { Proposal } from "../proposal.ts"
import type {
  AcceptProposalError,
  ConversationBusy,
  ConversationError,
  ProposalClosed,
  ProposalError,
  StartAnswerError
} from "./errors.ts"
import type { Acceptance } from "./proposals.ts"
import type { AskRequest } from "./request.ts"

/** A complete answer, whose optional fields are omitted rather than null. */
export const Answer = Schema.Struct({
  answer: Schema.String,
  conversation_id: Schema.Int,
  lang: Language,
  took_ms: Schema.Int,
  outcome: Outcome,
  credits_used: Schema.Int,
  credits_left: Schema.Int,
  url: Schema.optionalKey(Schema.String),
  /** The URLs of all charts of the answer, in order. */
  charts: Schema.optionalKey(Schema.Array(Schema.String)),
  suggestions: Schema.Array(Schema.String),
  ...disclaimerField,
  ...figureFields,
  /** The changes of records that the answer proposes. Nothing is written until the user accepts a proposal. */
  proposals: Schema.optionalKey(Schema.Array(ShownProposal)),
  error: Schema.optionalKey(AnswerError)
})
export type Answer = typeof Answer.Type

/** A running or ended answer. */
export interface StartedAnswer {
  readonly generation: Generation
  /** Whether an earlier request with an equal idempotency key started the answer. */
  readonly replayed: boolean
}

/** A conversation and one page of its messages. */
export interface ConversationView {
  readonly conversation: Conversation
  readonly messages: ConversationPage<ChatMessage>
  /** The proposals of the messages, in the order of their answers and calls. */
  readonly proposals: ReadonlyArray<Proposal>
}

/** The requested page of a list, whose `cursor` is the previous page's `next`, or null for the first page. */
export interface PageRequest {
  readonly limit: number
  readonly cursor: string | null
}

/**
 * Answers questions for transports and for programs that embed the service. Methods that take a principal or an
 * `AskRequest` require the scope `agent:chat`; other methods check no permissions. For a conversation of another
 * account, methods with a principal fail with `ConversationNotFound`. The methods check for errors in this order:
 *
 * 1. `user_id`
 * 2. scope
 * 3. invalid fields, all at once
 * 4. an unknown conversation
 * 5. the idempotency key
 * 6. a conversation that is still answering, then a conversation with messages that the caller has not seen
 * 7. the daily quota
 * 8. credits
 */
export class Analyst extends Context.Service<Analyst, {
  /**
   * Starts an answer, and returns as soon as the running generation is stored. The answer continues after its caller
   * disconnects. If `start` is interrupted, either nothing is stored or the answer runs. A repeated request with an
   * equal idempotency key returns the first answer if it is running, or was charged within the last 24 hours.
   */
  readonly start: (askRequest: AskRequest) => Effect.Effect<StartedAnswer, StartAnswerError>
  /**
   * Starts an answer and waits until it is complete, including suggestions; a failed answer has the field `error`. A
   * failed answer is charged only if the request caused the failure and the user had seen output.
   */
  readonly answer: (
    askRequest: AskRequest
  ) => Effect.Effect<{ readonly answer: Answer; readonly replayed: boolean }, StartAnswerError>
  /** Waits for a started answer, without checking which account the answer belongs to. */
  readonly awaitAnswer: (generation: Generation) => Effect.Effect<Answer, StoreUnavailable>
  /**
   * Returns the current and future events of a generation with numbers above `after`, or no events for a deleted log. A
   * generation's log is deleted an hour after the generation's end. Each event is stored before it is returned, and
   * identical for all readers. `follow` does not check which account a generation belongs to.
   */
  readonly follow: (generation: number, after: number) => Stream.Stream<LoggedEvent, StoreUnavailable>
  /** Returns the stored answer as a few events after its log was deleted, or null while the log is kept. */
  readonly replayEvents: (generation: Generation) => Effect.Effect<ReadonlyArray<LoggedEvent> | null, StoreUnavailable>
  /**
   * Returns an ended generation of the conversation until a day after its end. `isLogged` is true if the log, which
   * `follow` reads, still contains the generation's events.
   */
  readonly findEnded: (
    principal: Principal,
    conversation: number,
    generation: number
  ) => Effect.Effect<{ readonly generation: Generation; readonly isLogged: boolean } | null, ConversationError>
  /** Returns the running generation of the conversation, or null if no answer is running. */
  readonly findRunning: (
    principal: Principal,
    conversation: number
  ) => Effect.Effect<Generation | null, ConversationError>
  /**
   * Ends the running answer, so that the conversation accepts the next question, or returns false if no answer is
   * running. The answer is charged if the user had seen output; otherwise its credits are released.
   */
  readonly cancel: (principal: Principal, conversation: number) => Effect.Effect<boolean, ConversationError>
  /**
   * Ends a running answer on behalf of its task, and returns whether the answer was cancelled. The caller must check
   * that the task asked the question of this answer.
   */
  readonly stop: (generation: number) => Effect.Effect<boolean, StoreUnavailable>
  /** Returns at most `limit` running answers of an account, oldest first. */
  readonly listRunning: (account: number, limit: number) => Effect.Effect<ReadonlyArray<Generation>, StoreUnavailable>
  /** Returns an answer until a day after its end, or null. */
  readonly findAnswer: (generation: number) => Effect.Effect<Generation | null, StoreUnavailable>
  /**
   * Ends a running answer without a charge, on behalf of the operator of the service. The user sees `reason`. Returns
   * the ended answer, or null if the answer is not running.
   */
  readonly stopByOperator: (
    generation: number,
    reason: string | undefined
  ) => Effect.Effect<Generation | null, StoreUnavailable>
  /** Returns the account's conversations, newest first. */
  readonly listConversations: (
    principal: Principal,
    page: PageRequest
  ) => Effect.Effect<ConversationPage<Conversation>, Exclude<ConversationError, { _tag: "ConversationNotFound" }>>
  /** Returns a conversation with a page of its messages, oldest first by default. */
  readonly getConversation: (
    principal: Principal,
    conversation: number,
    page: PageRequest & { readonly order?: MessageOrder | undefined }
  ) => Effect.Effect<ConversationView, ConversationError>
  readonly remove: (
    principal: Principal,
    conversation: number
  ) => Effect.Effect<void, ConversationError | ConversationBusy>
  /**
   * Returns a proposal. The methods for proposals require `agent:chat`, `write:personal` and the scopes of the
   * conversation.
   */
  readonly findProposal: (principal: Principal, proposal: string) => Effect.Effect<Proposal, ProposalError>
  /**
   * Carries out a proposal at the price of its tool, under the name of `principal`. The call continues after its caller
   * disconnects. A repeated acceptance returns the first result and charges nothing.
   */
  readonly acceptProposal: (principal: Principal, proposal: string) => Effect.Effect<Acceptance, AcceptProposalError>
  /** Dismisses an open proposal. A repeated dismissal changes nothing. */
  readonly dismissProposal: (
    principal: Principal,
    proposal: string
  ) => Effect.Effect<Proposal, ProposalError | ProposalClosed>
}>()("@tapeline/core/agent/Analyst") {}
