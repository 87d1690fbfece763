import type {
  AnswerBody,
  CancelBody,
  CatalogueBody,
  ConversationListBody,
  HealthBody,
  QuoteBody,
  QuoteRequest,
  ReadinessBody,
  UsageBody
} from "@tapeline/api"
import type { AgentRequest, Area, ToolSpecification } from "@tapeline/core/specifications"
import type { AccountMethods } from "./account.ts"
import type { Message } from "./agent/AnswerEvent.ts"
import type { AnswerStream } from "./agent/AnswerStream.ts"
import type { ConversationView, MessagePage, Page } from "./agent/conversation.ts"
import type { NotificationOptions, NotificationStream } from "./notifications/NotificationStream.ts"
import type { CallOptions, ChargedOptions } from "./settings.ts"
import type { BuiltIn, ToolAnswer, Tools } from "./tools.ts"

export type Catalogue = typeof CatalogueBody.Type
export type Usage = typeof UsageBody.Type
export type Quote = typeof QuoteBody.Type
export type QuotedCalls = (typeof QuoteRequest.Type)["calls"]
/** A question to the analyst. */
export type Question = typeof AgentRequest.Encoded
/** A complete answer of the analyst. */
export type Answer = typeof AnswerBody.Type
export type Cancelled = typeof CancelBody.Type
export type ConversationList = typeof ConversationListBody.Type

/** A chart's image. */
export interface Chart {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** `image/png` or `image/svg+xml`. */
  readonly content_type: string
}

/** The options for following a running answer. */
export interface ResumeOptions extends CallOptions {
  /** The id of the last known event. The stream begins after it. */
  readonly after?: string | undefined
}

/** The methods of the analyst. */
export interface AgentMethods {
  /**
   * Asks a question and returns the complete answer. A failed answer has the outcome `failed`. Failures of the service
   * or the model's provider are free.
   */
  readonly ask: (question: Question, options?: ChargedOptions) => Promise<Answer>
  /** Asks a question and returns the events of the answer. The stream continues after a lost connection. */
  readonly stream: (question: Question, options?: ChargedOptions) => AnswerStream
  /**
   * Returns the running answer of a conversation, from its first event or after `after`. If none runs, returns the
   * stored answer.
   */
  readonly resume: (conversation: number, options?: ResumeOptions) => AnswerStream
  /** Ends the running answer of a conversation. The output that was shown is kept and charged. */
  readonly cancel: (conversation: number, options?: CallOptions) => Promise<Cancelled>
}

/** Conversations of the account with the analyst. */
export interface ConversationMethods {
  /** Returns conversations, sorted by their last message, newest first. */
  readonly list: (page?: Page, options?: CallOptions) => Promise<ConversationList>
  /** Returns a conversation with a page of its messages, oldest first by default. */
  readonly read: (conversation: number, page?: MessagePage, options?: CallOptions) => Promise<ConversationView>
  /** Returns all messages of a conversation, oldest first. */
  readonly messages: (conversation: number, options?: CallOptions) => AsyncIterable<Message>
  /** Deletes a conversation with all its messages. */
  readonly remove: (conversation: number, options?: CallOptions) => Promise<void>
}

/**
 * A client of the service, with its tools as methods. All methods fail with a `ClientError`, except that an abort
 * rejects with the signal's reason.
 */
export interface Client<Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn> {
  readonly tools: Tools<Specifications>
  /** Calls a tool by a name that is only known at run time. */
  readonly call: (name: string, args?: unknown, options?: ChargedOptions) => Promise<ToolAnswer>
  /** Returns the tools that this key may call, with their prices. An unchanged catalogue is not sent again. */
  readonly catalogue: (
    query?: { readonly area?: Area; readonly view?: "full" | "parameters" },
    options?: CallOptions
  ) => Promise<Catalogue>
  /** Returns the credits of a month (YYYY-MM); by default of the current month. */
  readonly usage: (query?: { readonly month?: string }, options?: CallOptions) => Promise<Usage>
  /** Returns the price of a sequence of calls, and whether the month's credits cover it. */
  readonly quote: (calls: QuotedCalls, options?: CallOptions) => Promise<Quote>
  /** Returns a chart that `make_chart` drew for the account, by its id or its address. */
  readonly chart: (
    chart: string,
    options?: CallOptions & { readonly format?: "png" | "svg" | undefined }
  ) => Promise<Chart>
  readonly account: AccountMethods
  readonly agent: AgentMethods
  readonly conversations: ConversationMethods
  /**
   * Returns the notifications of the account's tasks as they arrive. The stream has no end, and continues after a lost
   * connection.
   */
  readonly notifications: (options?: NotificationOptions) => NotificationStream
  /** Returns the service's OpenAPI document. */
  readonly openapi: (options?: CallOptions) => Promise<Readonly<Record<string, unknown>>>
  /** Returns whether the process is alive. */
  readonly health: (options?: CallOptions) => Promise<typeof HealthBody.Type>
  /** Returns whether the service is ready. Fails with `Unavailable` while its database is unavailable. */
  readonly readiness: (options?: CallOptions) => Promise<typeof ReadinessBody.Type>
}
