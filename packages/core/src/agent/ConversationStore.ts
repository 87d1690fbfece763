import { Context, type Effect } from "effect"
import type { Scope } from "../engine/access/scope.ts"
import type { StoreUnavailable } from "../engine/store/StoreUnavailable.ts"
import type { ChatMessage, Conversation, KeptImage, NewChatMessage, PersonalScope, Summary } from "./conversation.ts"

/** A page, and what to ask for the next one: null on the last. */
export interface ConversationPage<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

/** Which of a conversation's messages come first. */
export type MessageOrder = "oldest" | "newest"

/**
 * Conversations and what was said in them. They belong to accounts: of another account's conversation every method says
 * what it says of one that never was. Questions and answers come in by `GenerationStore`, which shares the tables.
 *
 * Cursors are opaque, and stay good while things come and go: paging shows nothing twice, and misses nothing that stood
 * where it was throughout. (A conversation in which something is said meanwhile moves to the front, where a list that
 * begins anew shows it.) One that was not given out is judged like one that leads nowhere: an empty last page.
 */
export class ConversationStore extends Context.Service<ConversationStore, {
  /**
   * An account's conversations whose `scopes` are all among the given ones, the one in which something was said last
   * first (then by id, downwards).
   */
  readonly list: (
    account: number,
    page: { readonly limit: number; readonly cursor: string | null; readonly scopes: ReadonlyArray<Scope> }
  ) => Effect.Effect<ConversationPage<Conversation>, StoreUnavailable>
  readonly find: (account: number, conversation: number) => Effect.Effect<Conversation | null, StoreUnavailable>
  /**
   * Its messages, oldest first unless the newest are wanted first; an answer that was replaced is not among them. A
   * cursor is good for the order that it was given out in. Null when there is no such one.
   */
  readonly messages: (
    account: number,
    conversation: number,
    page: { readonly limit: number; readonly cursor: string | null; readonly order?: MessageOrder | undefined }
  ) => Effect.Effect<ConversationPage<ChatMessage> | null, StoreUnavailable>
  /**
   * The newest messages up to and with `upTo` (all, when null) and after the kept summary, oldest first, at most
   * `limit`, with the summary: what a model is reminded of.
   */
  readonly memory: (
    account: number,
    conversation: number,
    options: { readonly upTo: number | null; readonly limit: number }
  ) => Effect.Effect<
    { readonly summary: Summary | null; readonly messages: ReadonlyArray<ChatMessage> } | null,
    StoreUnavailable
  >
  /** The images of a message, in order; none of a message of another account. */
  readonly images: (account: number, message: number) => Effect.Effect<ReadonlyArray<KeptImage>, StoreUnavailable>
  /** Keeps a summary in place of the one before; one that reaches no further than what is kept changes nothing. */
  readonly summarise: (
    account: number,
    conversation: number,
    summary: Summary
  ) => Effect.Effect<void, StoreUnavailable>
  /** Adds a scope to the conversation's `scopes`. Does nothing if the conversation has the scope, or is gone. */
  readonly addScope: (
    account: number,
    conversation: number,
    scope: PersonalScope
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Adds a message of a background task, and the scope `read:personal`. `identity` is the task's own for this report:
   * under the same one it is added once. Null when there is no such conversation.
   */
  readonly report: (
    account: number,
    conversation: number,
    identity: string,
    message: NewChatMessage
  ) => Effect.Effect<ChatMessage | null, StoreUnavailable>
  /**
   * Removes it with its messages, images and summary, and the logs and steps of its generations. `running` when a
   * generation of it runs: nothing was changed.
   */
  readonly remove: (
    account: number,
    conversation: number
  ) => Effect.Effect<"removed" | "running" | "absent", StoreUnavailable>
}>()("@tapeline/core/agent/ConversationStore") {}
