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
import type { BellOptions, BellStream } from "./bell/BellStream.ts"
import type { CallOptions, ChargedOptions } from "./settings.ts"
import type { BuiltIn, ToolAnswer, Tools } from "./tools.ts"

export type Catalogue = typeof CatalogueBody.Type
export type Usage = typeof UsageBody.Type
export type Quote = typeof QuoteBody.Type
export type QuotedCalls = (typeof QuoteRequest.Type)["calls"]
/** A question to the analyst. */
export type Question = typeof AgentRequest.Encoded
/** An answer of the analyst as a whole. */
export type Answer = typeof AnswerBody.Type
export type Cancelled = typeof CancelBody.Type
export type ConversationList = typeof ConversationListBody.Type

/** A chart's image. */
export interface Chart {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** `image/png` or `image/svg+xml`. */
  readonly content_type: string
}

/** How an answer that runs is followed. */
export interface ResumeOptions extends CallOptions {
  /** The id of the last event that is known: what came after it is given. */
  readonly after?: string | undefined
}

/** The analyst. */
export interface AgentMethods {
  /** Answers a question as a whole. One that failed is an answer too, of outcome `failed`, and costs nothing. */
  readonly ask: (question: Question, options?: ChargedOptions) => Promise<Answer>
  /** Answers a question as a stream of events, which a lost connection does not end. */
  readonly stream: (question: Question, options?: ChargedOptions) => AnswerStream
  /** The answer that runs in a conversation, from its first event or after one; the stored one when none runs. */
  readonly resume: (conversation: number, options?: ResumeOptions) => AnswerStream
  /** Ends the answer that runs in a conversation: what stands of it is kept, and charged. */
  readonly cancel: (conversation: number, options?: CallOptions) => Promise<Cancelled>
}

/** What was said between the account and the analyst. */
export interface ConversationMethods {
  /** Conversations, the one in which something was said last first. */
  readonly list: (page?: Page, options?: CallOptions) => Promise<ConversationList>
  /** A conversation with a page of its messages, oldest first unless the newest are asked for. */
  readonly read: (conversation: number, page?: MessagePage, options?: CallOptions) => Promise<ConversationView>
  /** All messages of a conversation, oldest first. */
  readonly messages: (conversation: number, options?: CallOptions) => AsyncIterable<Message>
  /** Removes a conversation with all that was said in it. */
  readonly remove: (conversation: number, options?: CallOptions) => Promise<void>
}

/**
 * The service, with its tools as methods. Whatever fails, fails with a `ClientError`, but for an abort, which rejects
 * with the signal's reason.
 */
export interface Client<Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn> {
  readonly tools: Tools<Specifications>
  /** Calls a tool by a name that is known when the program runs. */
  readonly call: (name: string, args?: unknown, options?: ChargedOptions) => Promise<ToolAnswer>
  /** The tools that this key may call, with their prices. What has not changed is not sent again. */
  readonly catalogue: (
    query?: { readonly area?: Area; readonly view?: "full" | "parameters" },
    options?: CallOptions
  ) => Promise<Catalogue>
  /** Credits of a month, YYYY-MM, or of this one. */
  readonly usage: (query?: { readonly month?: string }, options?: CallOptions) => Promise<Usage>
  /** What a sequence of calls would cost, and whether the month's credits cover it. */
  readonly quote: (calls: QuotedCalls, options?: CallOptions) => Promise<Quote>
  /** A chart that `make_chart` drew for the account, by its id or its address. */
  readonly chart: (
    chart: string,
    options?: CallOptions & { readonly format?: "png" | "svg" | undefined }
  ) => Promise<Chart>
  readonly account: AccountMethods
  readonly agent: AgentMethods
  readonly conversations: ConversationMethods
  /** What the account's tasks ring, as it comes, for as long as it is read: a lost connection does not end it. */
  readonly notifications: (options?: BellOptions) => BellStream
  /** The service's OpenAPI document. */
  readonly openapi: (options?: CallOptions) => Promise<Readonly<Record<string, unknown>>>
  /** Whether the process lives. */
  readonly health: (options?: CallOptions) => Promise<typeof HealthBody.Type>
  /** Whether it answers: fails with `Unavailable` while its database is away. */
  readonly readiness: (options?: CallOptions) => Promise<typeof ReadinessBody.Type>
}
