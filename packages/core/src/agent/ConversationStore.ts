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
 * `GenerationStore` shares the tables and writes the questions and answers.
 *
 * Cursors are opaque, and remain valid while items are added and removed. Paging repeats no item, and misses no item
 * that kept its position throughout. (A conversation that gets a message in the meantime moves to the front, so that
 * only a list from the start shows it.) An invented cursor yields an empty last page, like a cursor that leads nowhere.
 */
export class ConversationStore extends Context.Service<ConversationStore, {
  /**
   * Returns an account's conversations whose `scopes` are all among the given ones. Sorted by the time of the last
   * message, newest first, then by id, descending.
   */
  readonly list: (
    account: number,
    page: { readonly limit: number; readonly cursor: string | null; readonly scopes: ReadonlyArray<Scope> }
  ) => Effect.Effect<ConversationPage<Conversation>, StoreUnavailable>
  readonly find: (account: number, conversation: number) => Effect.Effect<Conversation | null, StoreUnavailable>
  /**
   * Returns the conversation's messages, oldest first by default. Replaced answers are left out. A cursor is valid only
   * for the order in which it was returned. Returns null if there is no such conversation.
   */
  readonly messages: (
    account: number,
    conversation: number,
    page: { readonly limit: number; readonly cursor: string | null; readonly order?: MessageOrder | undefined }
  ) => Effect.Effect<ConversationPage<ChatMessage> | null, StoreUnavailable>
  /**
   * Returns the history for a model: the stored summary, and the newest messages after it up to and including `upTo`
   * (all, if null). The messages are sorted oldest first, at most `limit`. Returns null if there is no such
   * conversation.
   */
  readonly readHistory: (
    account: number,
    conversation: number,
    options: { readonly upTo: number | null; readonly limit: number }
  ) => Effect.Effect<
    { readonly summary: Summary | null; readonly messages: ReadonlyArray<ChatMessage> } | null,
    StoreUnavailable
  >
  /** Returns the images of a message, in order; empty for a message of another account. */
  readonly listImages: (account: number, message: number) => Effect.Effect<ReadonlyArray<StoredImage>, StoreUnavailable>
  /** Replaces the stored summary. Changes nothing if the stored one reaches as far or further. */
  readonly storeSummary: (
    account: number,
    conversation: number,
    summary: Summary
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Adds a scope to the conversation's `scopes`. Does nothing if the conversation has the scope, or no longer exists.
   */
  readonly addScope: (
    account: number,
    conversation: number,
    scope: PersonalScope
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Adds a message of a background task, and the scope `read:personal`. `identity` is the task's own id for this
   * report: the same identity adds the message once. Returns null if there is no such conversation.
   */
  readonly addReport: (
    account: number,
    conversation: number,
    identity: string,
    message: NewChatMessage
  ) => Effect.Effect<ChatMessage | null, StoreUnavailable>
  /**
   * Deletes the conversation with its messages, images and summary, and the logs and steps of its generations. Returns
   * `running` if a generation of it runs; nothing is deleted then.
   */
  readonly remove: (
    account: number,
    conversation: number
  ) => Effect.Effect<"removed" | "running" | "absent", StoreUnavailable>
}>()("@tapeline/core/agent/ConversationStore") {}
