import { Context, type Effect, Schema, type Stream } from "effect"
import type { Principal } from "../../engine/access/account.ts"
import { Language } from "../../engine/messages/languageCode.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import type { ChatMessage, Conversation } from "../conversation.ts"
import type { ConversationPage, MessageOrder } from "../ConversationStore.ts"
import { AnswerError, type LoggedEvent, Outcome } from "../event.ts"
import type { Generation } from "../generation.ts"
import type { AnswerRefusal, ConversationBusy, ConversationRefusal } from "./errors.ts"
import type { Ask } from "./request.ts"

/** An answer as a whole. What is optional is left out rather than null. */
export const Answer = Schema.Struct({
  answer: Schema.String,
  conversation_id: Schema.Int,
  lang: Language,
  took_ms: Schema.Int,
  outcome: Outcome,
  credits_used: Schema.Int,
  credits_left: Schema.Int,
  /** Of the last chart that it drew. */
  url: Schema.optionalKey(Schema.String),
  /** Of every chart that it drew, in order. */
  charts: Schema.optionalKey(Schema.Array(Schema.String)),
  suggestions: Schema.Array(Schema.String),
  error: Schema.optionalKey(AnswerError)
})
export type Answer = typeof Answer.Type

/** An answer that runs, or ran. */
export interface Begun {
  readonly generation: Generation
  /** True when an earlier request under the same idempotency key began it. */
  readonly replayed: boolean
}

/** A page of what was said in a conversation. */
export interface ConversationView {
  readonly conversation: Conversation
  readonly messages: ConversationPage<ChatMessage>
}

/** Which page of a list: `cursor` is what the page before gave as its `next`, null for the first. */
export interface PageRequest {
  readonly limit: number
  readonly cursor: string | null
}

/**
 * The analyst, as transports and embedders call it. Every method but `follow` requires the scope `agent:chat`, and
 * knows the account's own conversations only: another account's is `ConversationNotFound`.
 *
 * Refusals come in this order: `user_id`, scope, bad fields (all of them at once), an unknown conversation, the
 * idempotency key, a conversation that still answers, the day's quota, credits.
 */
export class Analyst extends Context.Service<Analyst, {
  /**
   * Begins an answer, and returns as soon as it is stored that it runs: what comes of it is `follow`ed, by whomever,
   * whenever. It runs on when its caller is gone, and interrupting this leaves either nothing or an answer that runs. A
   * repeat under the same idempotency key gives the one that the first began, as long as it runs, or has been charged
   * within 24 hours.
   */
  readonly start: (ask: Ask) => Effect.Effect<Begun, AnswerRefusal>
  /**
   * Begins an answer and waits for the whole of it, suggestions included. One that failed is an answer too, with
   * `error`, uncharged.
   */
  readonly answer: (
    ask: Ask
  ) => Effect.Effect<{ readonly answer: Answer; readonly replayed: boolean }, AnswerRefusal>
  /** Waits for the whole of an answer that was begun, as `answer` does. Whose it is, is not asked. */
  readonly whole: (generation: Generation) => Effect.Effect<Answer, StoreUnavailable>
  /**
   * The events of a generation above the number `after` (0: all), those to come included; the stream ends when no
   * other can follow, and at once for a log that was dropped an hour after its end. Each event was stored before it is
   * given, and is the same for every reader. Whose the generation is, is not asked: its number comes from `start` or
   * `running`.
   */
  readonly follow: (generation: number, after: number) => Stream.Stream<LoggedEvent, StoreUnavailable>
  /**
   * What a repeat of its request is shown of an answer whose log was dropped: the stored answer, as `conversation`, one
   * `delta`, `done` and `suggest`. Null while the log is kept, which `follow` gives.
   */
  readonly retold: (generation: Generation) => Effect.Effect<ReadonlyArray<LoggedEvent> | null, StoreUnavailable>
  /**
   * A generation of the conversation that has ended, and whether `follow` gives its log; null of any other, and of one
   * whose row was dropped, a day after its end.
   */
  readonly ended: (
    principal: Principal,
    conversation: number,
    generation: number
  ) => Effect.Effect<{ readonly generation: Generation; readonly isLogged: boolean } | null, ConversationRefusal>
  /** The generation of the conversation that runs; null when none does. */
  readonly running: (
    principal: Principal,
    conversation: number
  ) => Effect.Effect<Generation | null, ConversationRefusal>
  /**
   * Ends the answer that runs, from what stands in the store, whoever runs it: when this returns, the conversation
   * takes the next question. False when none ran. Charged when anything of it had been shown, else given back.
   */
  readonly cancel: (principal: Principal, conversation: number) => Effect.Effect<boolean, ConversationRefusal>
  /**
   * Ends a running answer as `cancel` does, for the task that asked. True if the answer has ended as cancelled. The
   * caller must know that the answer is its own.
   */
  readonly stop: (generation: number) => Effect.Effect<boolean, StoreUnavailable>
  /** The account's conversations, newest first. */
  readonly conversations: (
    principal: Principal,
    page: PageRequest
  ) => Effect.Effect<ConversationPage<Conversation>, Exclude<ConversationRefusal, { _tag: "ConversationNotFound" }>>
  /** A conversation with a page of its messages, oldest first unless the newest are wanted first. */
  readonly conversation: (
    principal: Principal,
    conversation: number,
    page: PageRequest & { readonly order?: MessageOrder | undefined }
  ) => Effect.Effect<ConversationView, ConversationRefusal>
  /** Removes a conversation with all that was said in it. */
  readonly remove: (
    principal: Principal,
    conversation: number
  ) => Effect.Effect<void, ConversationRefusal | ConversationBusy>
}>()("@tapeline/core/agent/Analyst") {}
