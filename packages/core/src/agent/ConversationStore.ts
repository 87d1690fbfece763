import { Context, type Effect } from "effect"
import type { Scope } from "../engine/access/scope.ts"
import type { StoreUnavailable } from "../engine/store/errors.ts"
import type { ChatMessage, Conversation, NewChatMessage, PersonalScope, StoredImage, Summary } from "./conversation.ts"

/** A page of items. `next` is the cursor of the following page, or null on the last page. */
export interface ConversationPage<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

/** Which messages of a conversation are listed first. */
export type MessageOrder = "oldest" | "newest"

/**
 * Stores conversations and their messages. A conversation of another account counts as absent in all methods.
 * `GenerationStore` uses the same tables, and writes the questions and answers.
 *
 * Cursors are opaque, and remain valid while items are added and removed. Paging repeats no item, and misses no item
 * that keeps its position. A conversation that receives a message during paging moves to the front, so only a new list
 * from the start contains it. An invalid cursor yields an empty last page.
 */
export class ConversationStore extends Context.Service<ConversationStore, {
  /**
   * Returns an account's conversations whose `scopes` are all among the given scopes. Conversations are sorted by the
   * time of the last message, newest first, then by id, descending.
   */
  readonly list: (
    account: number,
    page: { readonly limit: number; readonly cursor: string | null; readonly scopes: ReadonlyArray<Scope> }
  ) => Effect.Effect<ConversationPage<Conversation>, StoreUnavailable>
  readonly find: (account: number, conversation: number) => Effect.Effect<Conversation | null, StoreUnavailable>
  /**
   * Returns the conversation's messages, oldest first by default. Replaced answers are left out. A cursor is valid only
   * for the order in which the cursor was returned. Returns null if the conversation does not exist.
   */
  readonly messages: (
    account: number,
    conversation: number,
    page: { readonly limit: number; readonly cursor: string | null; readonly order?: MessageOrder | undefined }
  ) => Effect.Effect<ConversationPage<ChatMessage> | null, StoreUnavailable>
  /**
   * Returns the history for a model: the stored summary, and the newest messages after the summary up to and including
   * `upTo`. A null `upTo` sets no upper limit. At most `limit` messages are returned, oldest first. Returns null if the
   * conversation does not exist.
   */
  readonly readHistory: (
    account: number,
    conversation: number,
    options: { readonly upTo: number | null; readonly limit: number }
  ) => Effect.Effect<
    { readonly summary: Summary | null; readonly messages: ReadonlyArray<ChatMessage> } | null,
    StoreUnavailable
  >
  /** Returns the images of a message, in order. Returns an empty list for a message of another account. */
  readonly listImages: (account: number, message: number) => Effect.Effect<ReadonlyArray<StoredImage>, StoreUnavailable>
  /** Replaces the stored summary, unless the stored summary covers as many messages or more. */
  readonly storeSummary: (
    account: number,
    conversation: number,
    summary: Summary
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Adds a scope to the conversation's `scopes`. Does nothing if the conversation already has the scope, or no longer
   * exists.
   */
  readonly addScope: (
    account: number,
    conversation: number,
    scope: PersonalScope
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Adds a message of a background task, and the scope `read:personal`. `identity` is the task's own id for the report.
   * Repeated calls with equal `identity` add the message once. Returns null if the conversation does not exist.
   */
  readonly addReport: (
    account: number,
    conversation: number,
    identity: string,
    message: NewChatMessage
  ) => Effect.Effect<ChatMessage | null, StoreUnavailable>
  /**
   * Deletes the conversation with its messages, images and summary, and the logs and steps of its generations. Returns
   * `running`, and deletes nothing, if a generation of the conversation is running.
   */
  readonly remove: (
    account: number,
    conversation: number
  ) => Effect.Effect<"removed" | "running" | "absent", StoreUnavailable>
}>()("@tapeline/core/agent/ConversationStore") {}
