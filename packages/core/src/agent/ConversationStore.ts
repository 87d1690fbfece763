import { Context, type Effect } from "effect"
import type { Scope } from "../engine/access/scope.ts"
import type { StoreUnavailable } from "../engine/store/errors.ts"
import type { ChatMessage, Conversation, NewChatMessage, PersonalScope, StoredImage, Summary } from "./conversation.ts"

/** A page of conversations or messages; `next` is the cursor of the following page, or null on the last page. */
export interface ConversationPage<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

/** The order in which the messages of a conversation are listed. */
export type MessageOrder = "oldest" | "newest"

/**
 * Stores conversations and their messages, and treats a conversation of another account as absent. Cursors are opaque,
 * and remain valid while items are added and removed. Paging returns no item twice, but can miss a conversation that
 * moves to the front because of a new message. An invalid cursor yields an empty last page.
 */
export class ConversationStore extends Context.Service<ConversationStore, {
  /** Returns an account's conversations that use only the given scopes, by time of the last message, newest first. */
  readonly list: (
    account: number,
    page: { readonly limit: number; readonly cursor: string | null; readonly scopes: ReadonlyArray<Scope> }
  ) => Effect.Effect<ConversationPage<Conversation>, StoreUnavailable>
  readonly find: (account: number, conversation: number) => Effect.Effect<Conversation | null, StoreUnavailable>
  /**
   * Returns a conversation's messages without replaced answers, oldest first by default. Returns null if the
   * conversation does not exist. A cursor is valid only for the order in which the cursor was returned.
   */
  readonly messages: (
    account: number,
    conversation: number,
    page: { readonly limit: number; readonly cursor: string | null; readonly order?: MessageOrder | undefined }
  ) => Effect.Effect<ConversationPage<ChatMessage> | null, StoreUnavailable>
  /**
   * Returns the stored summary and the newest later messages up to and including `upTo`, oldest first, at most `limit`.
   * Returns null if the conversation does not exist.
   */
  readonly readHistory: (
    account: number,
    conversation: number,
    options: { readonly upTo: number | null; readonly limit: number }
  ) => Effect.Effect<
    { readonly summary: Summary | null; readonly messages: ReadonlyArray<ChatMessage> } | null,
    StoreUnavailable
  >
  /** Returns the images of a message in order, or an empty list for a message of another account. */
  readonly listImages: (account: number, message: number) => Effect.Effect<ReadonlyArray<StoredImage>, StoreUnavailable>
  /** Replaces the stored summary, unless the stored summary covers as many messages or more. */
  readonly storeSummary: (
    account: number,
    conversation: number,
    summary: Summary
  ) => Effect.Effect<void, StoreUnavailable>
  /** Adds a scope to a conversation, and does nothing if the conversation has the scope or no longer exists. */
  readonly addScope: (
    account: number,
    conversation: number,
    scope: PersonalScope
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Adds a task's report and the scope `read:personal` to a conversation. If the conversation already contains a report
   * with an equal `identity`, no report is added. Returns null if the conversation does not exist.
   */
  readonly addReport: (
    account: number,
    conversation: number,
    identity: string,
    message: NewChatMessage
  ) => Effect.Effect<ChatMessage | null, StoreUnavailable>
  /** Deletes a conversation with its answers, or returns `running` without a change while an answer is running. */
  readonly remove: (
    account: number,
    conversation: number
  ) => Effect.Effect<"removed" | "running" | "absent", StoreUnavailable>
}>()("@tapeline/core/agent/ConversationStore") {}
