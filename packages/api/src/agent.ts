import {
  AgentRequest,
  Answer,
  disclaimerField,
  eventData,
  figureFields,
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
import { ProposalBody, proposalEndpoints } from "./proposals.ts"
import { wholeNumber } from "./wholeNumber.ts"

/** The schema of the complete answer that `POST /v1/agent/messages` returns. */
export const AnswerBody = Answer.annotate({ identifier: "Answer", description: "The complete answer" })

/** The response to a request to resume an answer that is not running. */
export const NotRunningBody = Schema.Struct({
  running: Schema.Literal(false),
  message_id: Schema.optionalKey(
    Schema.NullOr(Schema.Int).annotate({
      description:
        "The stored message of the answer to which the last `id` belongs; null if nothing of the answer was stored. " +
        "Absent if the answer is unknown, for example a day after its end"
    })
  )
}).annotate({
  identifier: "NotRunning",
  description: "The events of the running answer, or the information that no answer is running"
})

export const CancelBody = Schema.Struct({
  cancelled: Schema.Boolean.annotate({ description: "False if no answer was running" }),
  running: Schema.Literal(false)
}).annotate({ identifier: "Cancelled", description: "No answer is running now" })

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
  running: Schema.Boolean.annotate({ description: "Whether an answer is running" })
}).annotate({ identifier: "Conversation" })

export const MessageBody = Schema.Struct({
  id: Schema.Int,
  role: Schema.Literals(["user", "assistant", "task"]).annotate({
    description: "`task` marks a report of a background task"
  }),
  content: Schema.String,
  created_at: Schema.String,
  lang: Language,
  images: Schema.Array(
    Schema.Struct({ media_type: MediaType, width: Schema.Int, height: Schema.Int, bytes: Schema.Int })
  ),
  charts: Schema.Array(Schema.String).annotate({ description: "URLs of the charts that the answer drew, in order" }),
  tools: Schema.Array(
    Schema.Struct({
      call_id: Schema.optionalKey(Schema.String.annotate({ description: "The `call_id` of the answer's events" })),
      name: Schema.String,
      ok: Schema.Boolean
    })
  ),
  suggestions: Schema.Array(Schema.String),
  ...disclaimerField,
  ...figureFields,
  outcome: Schema.NullOr(Outcome).annotate({ description: "The outcome of an answer; null for other messages" }),
  proposals: Schema.Array(ProposalBody).annotate({ description: "The proposals of an answer, with their states" }),
  proposal_id: Schema.optionalKey(
    Schema.String.annotate({ description: "The accepted proposal that this message reports" })
  )
}).annotate({ identifier: "Message" })

const NextCursor = Schema.NullOr(Schema.String).annotate({
  description: "The cursor of the next page; null on the last page"
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
}).annotate({ identifier: "ConversationView", description: "The conversation, and a page of its messages" })

/** Returns the schema of one kind of event in an answer stream. */
const eventSchema = <const Kind extends keyof typeof eventData>(kind: Kind, description: string) =>
  Schema.Struct({
    id: Schema.String.annotate({ description: "`<generation>-<n>`; n starts at 1 and has no gaps" }),
    event: Schema.Literal(kind),
    data: Schema.fromJsonString(eventData[kind])
  }).annotate({ identifier: `Event_${kind}`, description: description })

/** The union of all events of an answer stream. */
export const StreamEvent = Schema.Union([
  eventSchema("conversation", "The first event, with the conversation that stores the answer and is used to resume it"),
  eventSchema("status", "The current activity, as a text"),
  eventSchema("reasoning", "A part of the model's reasoning in one step"),
  eventSchema("tool", "A tool call begins"),
  eventSchema("tool_done", "A tool call ends; every `tool` event has one"),
  eventSchema("delta", "A part of the answer; the parts in order of their offsets are the whole answer"),
  eventSchema("done", "The answer ends, and the conversation accepts the next question"),
  eventSchema("suggest", "Follow-up questions, after a `done` event with the outcome `finished`")
]).annotate({ identifier: "StreamEvent" })

const Events = HttpApiSchema.StreamSse({ events: StreamEvent })

const sampleEvents: ReadonlyArray<GenerationEvent> = [
  { kind: "conversation", data: { conversation_id: 56, lang: "en", mode: "analyst" } },
  { kind: "status", data: { phase: "thinking", step: 1, text: "Thinking" } },
  { kind: "tool", data: { call_id: "1.1", name: "get_price", arguments: { coin: "BTC" }, step: 1 } },
  { kind: "tool_done", data: { call_id: "1.1", name: "get_price", ok: true, took_ms: 12 } },
  { kind: "delta", data: { offset: 0, text: "BTC trades at " } },
  { kind: "delta", data: { offset: 14, text: "97,120 USD." } },
  {
    kind: "done",
    data: {
      conversation_id: 56,
      outcome: "finished",
      lang: "en",
      took_ms: 2_150,
      credits_used: 20,
      credits_left: 59_940,
      figures: [{ text: "97,120 USD", offset: 14, call: "1.1", path: "/price" }],
      unmatched: []
    }
  },
  { kind: "suggest", data: { questions: ["What does its funding say?"] } }
]

/** A sample answer in the format of server-sent events, for the OpenAPI document. */
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
  "over_limit",
  "key_over_limit"
)

const conversationProblems = ["scope_required", "conversation_not_found"] as const

const conversationParams = { conv_id: wholeNumber(1, Number.MAX_SAFE_INTEGER, "The conversation's id") }

const pageQuery = {
  cursor: Schema.optionalKey(
    Schema.String.annotate({ description: "The `next_cursor` of the previous page; the first page by default" })
  ),
  limit: Schema.optionalKey(wholeNumber(1, 200, "Maximum number of items; 50 by default"))
}

const answerPriceText =
  `An answer costs ${
    pricedOperations[0].credits
  } credits, including all its tool calls, and counts toward the plan's ` +
  "answers a day. A failure of the service or of the model costs nothing. With an `Idempotency-Key`, a request can be " +
  "repeated safely."

const sampleQuestion: typeof AgentRequest.Encoded = {
  message: "How is BTC doing, and what does its funding say?",
  lang: "en"
}

const { credits, scope } = pricedOperations[0]
const withAnswerPrice = withPriceAndScope({ credits, scope })

const withPriceAndExample = (operation: Json): Json => {
  const media = operation["requestBody"]["content"]["application/json"]
  const examples = { working: { summary: "A question", value: sampleQuestion } }
  return {
    ...withAnswerPrice(operation),
    requestBody: { ...operation["requestBody"], content: { "application/json": { ...media, examples } } }
  }
}

const questionRequest = { payload: Schema.toEncoded(AgentRequest), error: questionProblems }

/** Defines the question endpoints for the OpenAPI document and typed clients. */
const questionEndpoints = [
  HttpApiEndpoint.post("ask", "/v1/agent/messages", { ...questionRequest, headers: CallHeaders, success: AnswerBody })
    .annotateMerge(OpenApi.annotations({
      transform: withPriceAndExample,
      identifier: "ask",
      summary: "Ask the analyst",
      description: `Answers a question, and returns the complete answer. ${answerPriceText}`
    })),
  HttpApiEndpoint.post("stream", "/v1/agent/stream", { ...questionRequest, headers: CallHeaders, success: Events })
    .annotateMerge(OpenApi.annotations({
      transform: withPriceAndExample,
      identifier: "stream",
      summary: "Ask the analyst, and stream the answer",
      description:
        "Answers a question, and streams events while the answer is written. If the client disconnects, the answer " +
        `continues. It is stored in the conversation, and its stream can be resumed. ${answerPriceText}`
    }))
] as const

/** The question endpoints that a server implements, which validate the headers together with the question. */
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
        Schema.String.annotate({ description: "The last `id` that the client read, as in the header `Last-Event-ID`" })
      )
    },
    success: [NotRunningBody, Events],
    error: problemSchemas(...conversationProblems)
  }).middleware(RejectMalformedPath).annotateMerge(OpenApi.annotations({
    transform: withPriceAndScope({ scope }),
    identifier: "resume",
    summary: "Resume an answer",
    description: "Streams the events of the conversation's running answer, from the first event, or after the event " +
      "that `Last-Event-ID` or `after` names. If no answer is running, streams the rest of the answer to which that id " +
      "belongs, up to an hour after its end. Otherwise returns `{ \"running\": false }`, and the conversation contains " +
      "the answer."
  })),
  HttpApiEndpoint.post("cancel", "/v1/agent/cancel/:conv_id", {
    params: conversationParams,
    success: CancelBody,
    error: problemSchemas(...bodyProblems, "invalid_arguments", ...conversationProblems)
  }).middleware(RejectMalformedPath).annotateMerge(OpenApi.annotations({
    transform: withPriceAndScope({ scope }),
    identifier: "cancel",
    summary: "Cancel an answer",
    description:
      "Ends the conversation's running answer immediately. If the user has seen a part of the answer, the part is stored and the answer is charged."
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
    description: "Returns the account's conversations in pages, the most recently updated conversation first."
  })),
  HttpApiEndpoint.get("conversation", "/v1/agent/conversations/:conv_id", {
    params: conversationParams,
    query: {
      ...pageQuery,
      order: Schema.optionalKey(
        Schema.Literals(["oldest", "newest"]).annotate({
          description: "The order of the messages; `oldest` by default. A cursor is valid only for its own order"
        })
      )
    },
    success: ConversationViewBody,
    error: problemSchemas(...conversationProblems)
  }).middleware(RejectMalformedPath).annotateMerge(OpenApi.annotations({
    transform: withPriceAndScope({ scope }),
    identifier: "conversation",
    summary: "Read a conversation",
    description: "Returns a conversation with its messages in pages, oldest or newest message first."
  })),
  HttpApiEndpoint.delete("removeConversation", "/v1/agent/conversations/:conv_id", {
    params: conversationParams,
    success: HttpApiSchema.NoContent.annotate({ description: "The conversation is deleted" }),
    error: problemSchemas(...bodyProblems, "invalid_arguments", ...conversationProblems, "generation_running")
  }).middleware(RejectMalformedPath).annotateMerge(OpenApi.annotations({
    transform: withPriceAndScope({ scope }),
    identifier: "removeConversation",
    summary: "Delete a conversation",
    description: "Deletes a conversation with all its messages. Fails while an answer is running."
  }))
] as const

/** Defines the analyst endpoints for the OpenAPI document and typed clients. */
export const agentGroup = HttpApiGroup.make("agent", { topLevel: true })
  .add(...questionEndpoints, ...generationEndpoints)
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)
  .annotate(
    OpenApi.Description,
    "The analyst answers questions, and streams answers while they are written. It requires the scope `agent:chat`. It " +
      "reads data of all markets on the caller's behalf, and personal records only with `read:personal`. With " +
      "`write:personal`, it proposes changes of records, which the caller accepts or dismisses."
  )

/** The analyst endpoints that a server implements. */
export const servedAgentGroup = HttpApiGroup.make("agent", { topLevel: true })
  .add(...servedQuestionEndpoints, ...generationEndpoints)
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)

/** The endpoints for an account's conversations with the analyst. */
export const conversationsGroup = HttpApiGroup.make("conversations", { topLevel: true })
  .add(...conversationEndpoints, ...proposalEndpoints)
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)
  .annotate(
    OpenApi.Description,
    "Conversations of the account with the analyst. If the answers of a conversation used `read:personal` or " +
      "`write:personal`, only keys with that scope can list, read, continue and delete the conversation."
  )
