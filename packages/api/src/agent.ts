import {
  AgentRequest,
  Answer,
  eventData,
  type GenerationEvent,
  Language,
  MediaType,
  Mode,
  Outcome,
  pricedOperations
} from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { KeyAuthorization } from "./authorization.ts"
import type { Json } from "./example.ts"
import { CallHeaders, ResumeHeaders } from "./headers.ts"
import { CommonErrors, RejectMalformedPath, RejectUnknownQuery } from "./middleware.ts"
import { withPriceAndScope } from "./priceAndScope.ts"
import { problemSchemas } from "./problem.ts"
import { wholeNumber } from "./wholeNumber.ts"

/** The complete answer of the analyst that `POST /v1/agent/messages` returns. */
export const AnswerBody = Answer.annotate({ identifier: "Answer", description: "The answer, whole" })

/**
 * The response to a resume request if the conversation has no running answer. `message_id` names the stored answer;
 * null if nothing was stored.
 */
export const NotRunningBody = Schema.Struct({
  running: Schema.Literal(false),
  message_id: Schema.optionalKey(
    Schema.NullOr(Schema.Int).annotate({
      description: "The message that has the answer to which the last `id` belongs; null: nothing of it was kept. " +
        "Left out where no such answer is known, as a day after its end"
    })
  )
}).annotate({
  identifier: "NotRunning",
  description: "The events of the answer that runs, or that none does"
})

export const CancelBody = Schema.Struct({
  cancelled: Schema.Boolean.annotate({ description: "False when nothing ran" }),
  running: Schema.Literal(false)
}).annotate({ identifier: "Cancelled", description: "Nothing runs any more" })

const conversationFields = {
  id: Schema.Int,
  title: Schema.String,
  mode: Mode,
  lang: Language,
  created_at: Schema.String,
  updated_at: Schema.String
}

export const ConversationBody = Schema.Struct({
  ...conversationFields,
  message_count: Schema.Int,
  running: Schema.Boolean.annotate({ description: "Whether it is being answered" })
}).annotate({ identifier: "Conversation" })

export const MessageBody = Schema.Struct({
  id: Schema.Int,
  role: Schema.Literals(["user", "assistant", "task"]).annotate({
    description: "`task` is what a background task reports"
  }),
  content: Schema.String,
  created_at: Schema.String,
  lang: Language,
  images: Schema.Array(
    Schema.Struct({ media_type: MediaType, width: Schema.Int, height: Schema.Int, bytes: Schema.Int })
  ),
  charts: Schema.Array(Schema.String).annotate({ description: "Addresses of the charts that it drew, in order" }),
  tools: Schema.Array(Schema.Struct({ name: Schema.String, ok: Schema.Boolean })),
  suggestions: Schema.Array(Schema.String),
  outcome: Schema.NullOr(Outcome).annotate({ description: "Of an answer; null of others" })
}).annotate({ identifier: "Message" })

const NextCursor = Schema.NullOr(Schema.String).annotate({
  description: "Asks for the next page; null when there is none"
})

export const ConversationListBody = Schema.Struct({
  conversations: Schema.Array(ConversationBody),
  next_cursor: NextCursor
}).annotate({ identifier: "ConversationList", description: "A page of conversations" })

export const ConversationViewBody = Schema.Struct({
  ...conversationFields,
  running: Schema.Boolean,
  messages: Schema.Array(MessageBody),
  next_cursor: NextCursor
}).annotate({ identifier: "ConversationView", description: "The conversation, and a page of what was said in it" })

/** Returns the schema of one kind of event in an answer stream. The field `data` contains one line of JSON. */
const eventSchema = <const Kind extends keyof typeof eventData>(kind: Kind, description: string) =>
  Schema.Struct({
    id: Schema.String.annotate({ description: "`<generation>-<n>`, n from 1 and without gaps" }),
    event: Schema.Literal(kind),
    data: Schema.fromJsonString(eventData[kind])
  }).annotate({ identifier: `Event_${kind}`, description: description })

/** The union of all events of an answer stream. */
export const StreamEvent = Schema.Union([
  eventSchema("conversation", "Always first: where the answer is kept, and by which it is resumed"),
  eventSchema("status", "What goes on, in words"),
  eventSchema("reasoning", "A part of what the model considers, of one step"),
  eventSchema("tool", "A tool is called"),
  eventSchema("tool_done", "The call of a tool is over; every `tool` has one"),
  eventSchema("delta", "A part of the answer: put together by their offsets they are the whole of it"),
  eventSchema("done", "The answer is over, and the conversation takes the next question"),
  eventSchema("suggest", "What could be asked next; after a `done` of outcome `finished`")
]).annotate({ identifier: "StreamEvent" })

const Events = HttpApiSchema.StreamSse({ events: StreamEvent })

const sampleEvents: ReadonlyArray<GenerationEvent> = [
  { kind: "conversation", data: { conversation_id: 56, lang: "en", mode: "analyst" } },
  { kind: "status", data: { phase: "thinking", step: 1, text: "Thinking" } },
  { kind: "tool", data: { call_id: "1.1", name: "get_price", arguments: { coin: "BTC" }, step: 1 } },
  { kind: "tool_done", data: { call_id: "1.1", name: "get_price", ok: true, took_ms: 12 } },
  { kind: "delta", data: { offset: 0, text: "BTC stands at " } },
  { kind: "delta", data: { offset: 14, text: "97,120 USD." } },
  {
    kind: "done",
    data: {
      conversation_id: 56,
      outcome: "finished",
      lang: "en",
      took_ms: 2_150,
      credits_used: 20,
      credits_left: 59_940
    }
  },
  { kind: "suggest", data: { questions: ["What does its funding say?"] } }
]

/** The sample answer in the format of server-sent events, for the OpenAPI document. */
export const sampleAnswerStream = sampleEvents
  .map(({ data, kind }, i) => `id: 12-${i + 1}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)
  .join("")

const bodyProblems = ["invalid_body", "user_id_not_accepted", "payload_too_large", "unsupported_media_type"] as const

const questionProblems = problemSchemas(
  ...bodyProblems,
  "scope_required",
  "invalid_arguments",
  "conversation_not_found",
  "idempotency_key_reused",
  "request_in_progress",
  "generation_running",
  "conversation_went_on",
  "daily_quota_reached",
  "over_limit"
)

const conversationProblems = ["scope_required", "conversation_not_found"] as const

const conversationParams = { conv_id: wholeNumber(1, Number.MAX_SAFE_INTEGER, "The conversation's id") }

const pageQuery = {
  cursor: Schema.optionalKey(
    Schema.String.annotate({ description: "The `next_cursor` of the page before; the first page when left out" })
  ),
  limit: Schema.optionalKey(wholeNumber(1, 200, "How many at most; 50 when left out"))
}

const answerPriceText =
  `An answer costs ${pricedOperations[0].credits} credits, whatever it calls, and is one of the day's answers; ` +
  "a failure of the service or of the model costs neither. `Idempotency-Key` makes a question safe to repeat."

const sampleQuestion: typeof AgentRequest.Encoded = {
  message: "How is BTC doing, and what does its funding say?",
  lang: "en"
}

const { credits, scope } = pricedOperations[0]
const withAnswerPrice = withPriceAndScope({ credits, scope })

/** Adds the price of an answer and a working example of the request body to an OpenAPI operation. */
const withPriceAndExample = (operation: Json): Json => {
  const media = operation["requestBody"]["content"]["application/json"]
  const examples = { working: { summary: "A question", value: sampleQuestion } }
  return {
    ...withAnswerPrice(operation),
    requestBody: { ...operation["requestBody"], content: { "application/json": { ...media, examples } } }
  }
}

const questionRequest = { payload: Schema.toEncoded(AgentRequest), error: questionProblems }

/** The endpoints for questions, as documents and typed clients describe them. */
const questionEndpoints = [
  HttpApiEndpoint.post("ask", "/v1/agent/messages", { ...questionRequest, headers: CallHeaders, success: AnswerBody })
    .annotateMerge(OpenApi.annotations({
      transform: withPriceAndExample,
      identifier: "ask",
      summary: "Ask",
      description: `Answers a question, as a whole. ${answerPriceText}`
    })),
  HttpApiEndpoint.post("stream", "/v1/agent/stream", { ...questionRequest, headers: CallHeaders, success: Events })
    .annotateMerge(OpenApi.annotations({
      transform: withPriceAndExample,
      identifier: "stream",
      summary: "Ask, and follow the answer",
      description:
        "Answers a question as a stream of events while it is written. Whoever hangs up stops nothing: the " +
        `answer is kept in the conversation, and resumed there. ${answerPriceText}`
    }))
] as const

/**
 * The endpoints for questions, as a server implements them. A server validates the headers together with the question.
 */
const servedQuestionEndpoints = [
  HttpApiEndpoint.post("ask", "/v1/agent/messages", { ...questionRequest, success: AnswerBody }),
  HttpApiEndpoint.post("stream", "/v1/agent/stream", { ...questionRequest, success: Events })
] as const

const generationEndpoints = [
  HttpApiEndpoint.get("resume", "/v1/agent/resume/:conv_id", {
    params: conversationParams,
    headers: ResumeHeaders,
    query: {
      after: Schema.optionalKey(
        Schema.String.annotate({ description: "The last `id` that was read, as in the header `Last-Event-ID`" })
      )
    },
    success: [NotRunningBody, Events],
    error: problemSchemas(...conversationProblems)
  }).middleware(RejectMalformedPath).annotateMerge(OpenApi.annotations({
    transform: withPriceAndScope({ scope }),
    identifier: "resume",
    summary: "Resume an answer",
    description: "The events of the answer that runs in a conversation, from its first, or after the one that " +
      "`Last-Event-ID` or `after` names. Where none runs, the rest of the one that the id names, an hour long; " +
      "`{ \"running\": false }` when there is none: then the conversation has the answer."
  })),
  HttpApiEndpoint.post("cancel", "/v1/agent/cancel/:conv_id", {
    params: conversationParams,
    success: CancelBody,
    error: problemSchemas(...bodyProblems, "invalid_arguments", ...conversationProblems)
  }).middleware(RejectMalformedPath).annotateMerge(OpenApi.annotations({
    transform: withPriceAndScope({ scope }),
    identifier: "cancel",
    summary: "Cancel an answer",
    description: "Ends the answer that runs in a conversation, at once. What was shown of it is kept, and charged."
  }))
] as const

const conversationEndpoints = [
  HttpApiEndpoint.get("conversations", "/v1/agent/conversations", {
    query: pageQuery,
    success: ConversationListBody,
    error: problemSchemas("scope_required")
  }).annotateMerge(OpenApi.annotations({
    transform: withPriceAndScope({ scope }),
    identifier: "conversations",
    summary: "List conversations",
    description: "The account's conversations, the one in which something was said last first, page by page."
  })),
  HttpApiEndpoint.get("conversation", "/v1/agent/conversations/:conv_id", {
    params: conversationParams,
    query: {
      ...pageQuery,
      order: Schema.optionalKey(
        Schema.Literals(["oldest", "newest"]).annotate({
          description: "Which messages come first: the oldest when left out. A cursor is good for its own order"
        })
      )
    },
    success: ConversationViewBody,
    error: problemSchemas(...conversationProblems)
  }).middleware(RejectMalformedPath).annotateMerge(OpenApi.annotations({
    transform: withPriceAndScope({ scope }),
    identifier: "conversation",
    summary: "Read a conversation",
    description: "What was said in a conversation, oldest first or newest first, page by page."
  })),
  HttpApiEndpoint.delete("removeConversation", "/v1/agent/conversations/:conv_id", {
    params: conversationParams,
    success: HttpApiSchema.NoContent.annotate({ description: "It is removed" }),
    error: problemSchemas(...bodyProblems, "invalid_arguments", ...conversationProblems, "generation_running")
  }).middleware(RejectMalformedPath).annotateMerge(OpenApi.annotations({
    transform: withPriceAndScope({ scope }),
    identifier: "removeConversation",
    summary: "Remove a conversation",
    description: "Removes a conversation with all that was said in it; not while it is being answered."
  }))
] as const

/** The analyst endpoints, as documents and typed clients describe them. */
export const agentGroup = HttpApiGroup.make("agent", { topLevel: true })
  .add(...questionEndpoints, ...generationEndpoints)
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)
  .annotate(
    OpenApi.Description,
    "The analyst: questions, and answers as they are written. The scope `agent:chat` opens it. It reads market data on " +
      "the caller's behalf, of all markets; personal records only with `read:personal` and `write:personal`."
  )

/** The analyst endpoints, as a server implements them. */
export const servedAgentGroup = HttpApiGroup.make("agent", { topLevel: true })
  .add(...servedQuestionEndpoints, ...generationEndpoints)
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)

/** The endpoints for an account's conversations with the analyst. */
export const conversationsGroup = HttpApiGroup.make("conversations", { topLevel: true })
  .add(...conversationEndpoints)
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)
  .annotate(
    OpenApi.Description,
    "Conversations with the analyst. They belong to the account. A conversation whose answers used `read:personal` or " +
      "`write:personal` is listed, read, continued and removed only by keys with that scope."
  )
