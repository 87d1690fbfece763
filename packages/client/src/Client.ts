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

/** The image of a chart. */
export interface Chart {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The media type of the image: `image/png` or `image/svg+xml`. */
  readonly content_type: string
}

/** The options for following a running answer of the analyst. */
export interface ResumeOptions extends CallOptions {
  /** The id of the last event that the caller has read. The stream begins with the next event. */
  readonly after?: string | undefined
}

/** The client's methods for questions to the analyst. */
export interface AgentMethods {
  /**
   * Asks a question and returns the complete answer. An answer that failed because of the service or the model's
   * provider has the outcome `failed` and is free.
   */
  readonly ask: (question: Question, options?: ChargedOptions) => Promise<Answer>
  /** Asks a question and returns the events of the answer. The stream reconnects after a lost connection. */
  readonly stream: (question: Question, options?: ChargedOptions) => AnswerStream
  /**
   * Returns the running answer of a conversation, from the first event or after `after`. If the conversation has no
   * running answer, returns the stored answer.
   */
  readonly resume: (conversation: number, options?: ResumeOptions) => AnswerStream
  /** Ends the running answer of a conversation. The service stores and charges the output that was already sent. */
  readonly cancel: (conversation: number, options?: CallOptions) => Promise<Cancelled>
}

/** The client's methods for the account's conversations with the analyst. */
export interface ConversationMethods {
  /** Returns a page of conversations, sorted by the time of the last message, newest first. */
  readonly list: (page?: Page, options?: CallOptions) => Promise<ConversationList>
  /** Returns a conversation with a page of its messages, oldest first by default. */
  readonly read: (conversation: number, page?: MessagePage, options?: CallOptions) => Promise<ConversationView>
  /** Returns all messages of a conversation, oldest first. */
  readonly messages: (conversation: number, options?: CallOptions) => AsyncIterable<Message>
  /** Deletes a conversation with all its messages. */
  readonly remove: (conversation: number, options?: CallOptions) => Promise<void>
}

/**
 * A client of the Tapeline service. All methods fail with a `ClientError`, except that an abort rejects with the
 * signal's reason.
 */
export interface Client<Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn> {
  readonly tools: Tools<Specifications>
  /** Calls a tool by a name that is only known at run time. */
  readonly call: (name: string, args?: unknown, options?: ChargedOptions) => Promise<ToolAnswer>
  /**
   * Returns the tools that the client's key may call, with prices. The service does not send an unchanged catalogue
   * again.
   */
  readonly catalogue: (
    query?: { readonly area?: Area; readonly view?: "full" | "parameters" },
    options?: CallOptions
  ) => Promise<Catalogue>
  /** Returns the credits of a month (YYYY-MM); by default of the current month. */
  readonly usage: (query?: { readonly month?: string }, options?: CallOptions) => Promise<Usage>
  /** Returns the price of a sequence of calls, and whether the month's remaining credits cover the price. */
  readonly quote: (calls: QuotedCalls, options?: CallOptions) => Promise<Quote>
  /** Returns a chart that `make_chart` drew for the account. `chart` is the chart's id or URL. */
  readonly chart: (
    chart: string,
    options?: CallOptions & { readonly format?: "png" | "svg" | undefined }
  ) => Promise<Chart>
  readonly account: AccountMethods
  readonly agent: AgentMethods
  readonly conversations: ConversationMethods
  /**
   * Returns the notifications of the account's tasks as they arrive. The stream never ends, and reconnects after a lost
   * connection.
   */
  readonly notifications: (options?: NotificationOptions) => NotificationStream
  /** Returns the OpenAPI document of the service. */
  readonly openapi: (options?: CallOptions) => Promise<Readonly<Record<string, unknown>>>
  /** Returns whether the service's process is alive. */
  readonly health: (options?: CallOptions) => Promise<typeof HealthBody.Type>
  /** Returns whether the service is ready. Fails with `Unavailable` while the service's database is unavailable. */
  readonly readiness: (options?: CallOptions) => Promise<typeof ReadinessBody.Type>
}
