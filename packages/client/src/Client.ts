import type {
  AnswerBody,
  CancelBody,
  CatalogueBody,
  ConversationListBody,
  HealthBody,
  ProposalBody,
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
/** The request body of a question to the analyst. */
export type Question = typeof AgentRequest.Encoded
/** A complete answer of the analyst. */
export type Answer = typeof AnswerBody.Type
/** A change of a record that an answer proposed. */
export type Proposal = typeof ProposalBody.Type
export type Cancelled = typeof CancelBody.Type
export type ConversationList = typeof ConversationListBody.Type

/** The image of a chart, as PNG or SVG. */
export interface Chart {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly content_type: string
}

/** The options for following a running answer of the analyst. */
export interface ResumeOptions extends CallOptions {
  /** The id of the last answer event that the caller has read; the stream begins with the next event. */
  readonly after?: string | undefined
}

/** The client's methods for questions to the analyst. */
export interface AgentMethods {
  /** Asks the analyst a question and returns the complete answer. */
  readonly ask: (question: Question, options?: ChargedOptions) => Promise<Answer>
  /** Asks the analyst a question and returns the events of the answer, reconnecting after a lost connection. */
  readonly stream: (question: Question, options?: ChargedOptions) => AnswerStream
  /** Returns the running answer of a conversation as a stream, or the stored answer if no answer is running. */
  readonly resume: (conversation: number, options?: ResumeOptions) => AnswerStream
  /** Ends the running answer of a conversation; the service stores and charges the output that was already sent. */
  readonly cancel: (conversation: number, options?: CallOptions) => Promise<Cancelled>
}

/** The client's methods for proposals, which require the scope `write:personal`. */
export interface ProposalMethods {
  /** Returns a proposal with its state. */
  readonly read: (proposal: string, options?: CallOptions) => Promise<Proposal>
  /**
   * Accepts a proposal: the service makes the proposed call once, at the price of its tool. The client repeats the
   * request after a lost response, because a repeated acceptance returns the first result.
   */
  readonly accept: (proposal: string, options?: CallOptions) => Promise<Proposal>
  /** Dismisses an open proposal. */
  readonly dismiss: (proposal: string, options?: CallOptions) => Promise<Proposal>
}

/** The client's methods for the account's conversations with the analyst. */
export interface ConversationMethods {
  /** Returns a page of the account's conversations, sorted by the time of the last message, newest first. */
  readonly list: (page?: Page, options?: CallOptions) => Promise<ConversationList>
  /** Returns a conversation with a page of its messages, oldest first by default. */
  readonly read: (conversation: number, page?: MessagePage, options?: CallOptions) => Promise<ConversationView>
  readonly messages: (conversation: number, options?: CallOptions) => AsyncIterable<Message>
  readonly remove: (conversation: number, options?: CallOptions) => Promise<void>
}

/** A client of the Tapeline service. The methods fail with a `ClientError` or with the reason of an abort. */
export interface Client<Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn> {
  readonly tools: Tools<Specifications>
  /** Calls a tool whose name is only known at run time. */
  readonly call: (name: string, args?: unknown, options?: ChargedOptions) => Promise<ToolAnswer>
  /** Returns the tools that the client's key may call, with prices. */
  readonly catalogue: (
    query?: { readonly area?: Area; readonly view?: "full" | "parameters" },
    options?: CallOptions
  ) => Promise<Catalogue>
  /** Returns the account's credits in a month (YYYY-MM); by default in the current month. */
  readonly usage: (query?: { readonly month?: string }, options?: CallOptions) => Promise<Usage>
  /** Returns the price of a sequence of tool calls, and whether the month's remaining credits cover the price. */
  readonly quote: (calls: QuotedCalls, options?: CallOptions) => Promise<Quote>
  /** Returns a chart that `make_chart` drew for the account, by the chart's id or URL. */
  readonly chart: (
    chart: string,
    options?: CallOptions & { readonly format?: "png" | "svg" | undefined }
  ) => Promise<Chart>
  readonly account: AccountMethods
  readonly agent: AgentMethods
  readonly proposals: ProposalMethods
  readonly conversations: ConversationMethods
  /** Returns an endless stream of the notifications of the account's tasks, reconnecting after a lost connection. */
  readonly notifications: (options?: NotificationOptions) => NotificationStream
  readonly openapi: (options?: CallOptions) => Promise<Readonly<Record<string, unknown>>>
  readonly health: (options?: CallOptions) => Promise<typeof HealthBody.Type>
  /** Returns whether the service is ready; fails with `Unavailable` while the service's database is unavailable. */
  readonly readiness: (options?: CallOptions) => Promise<typeof ReadinessBody.Type>
}
