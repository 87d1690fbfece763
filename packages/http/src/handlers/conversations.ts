import { Caller, ConversationListBody, ConversationViewBody, servedAgentApi } from "@tapeline/api"
import { Analyst, type ChatMessage, type Conversation } from "@tapeline/core"
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { answering } from "../answer.ts"
import { readingOfCaller } from "../body.ts"
import { operation } from "../operation.ts"

const answerConversations = answering(ConversationListBody)
const answerConversation = answering(ConversationViewBody)
const readNothing = readingOfCaller(Schema.Struct({}))

const usualPage = 50

const iso = (time: number): string => new Date(time).toISOString()

const conversationBody = ({ createdAt, id, lang, mode, running, title, updatedAt }: Conversation) => ({
  id,
  title,
  mode,
  lang,
  created_at: iso(createdAt),
  updated_at: iso(updatedAt),
  running
})

const messageBody = (message: ChatMessage) => ({
  id: message.id,
  role: message.role,
  content: message.content,
  created_at: iso(message.createdAt),
  lang: message.lang,
  images: message.images.map(({ bytes, height, mediaType, width }) => ({
    media_type: mediaType,
    width,
    height,
    bytes
  })),
  charts: message.charts,
  tools: message.tools.map(({ name, ok }) => ({ name, ok })),
  suggestions: message.suggestions,
  outcome: message.outcome
})

const pageOf = ({ cursor, limit }: { readonly cursor?: string; readonly limit?: number }) => ({
  cursor: cursor ?? null,
  limit: limit ?? usualPage
})

/** The stored conversations between an account and the analyst. */
export const layerConversations = HttpApiBuilder.group(
  servedAgentApi,
  "conversations",
  Effect.fnUntraced(function*(handlers) {
    const analyst = yield* Analyst
    return handlers
      .handleRaw(
        "conversations",
        operation(Effect.fnUntraced(function*({ query }) {
          const { items, next } = yield* analyst.conversations((yield* Caller).principal, pageOf(query))
          return yield* answerConversations({
            conversations: items.map((item) => ({ ...conversationBody(item), message_count: item.messageCount })),
            next_cursor: next
          })
        }))
      )
      .handleRaw(
        "conversation",
        operation(Effect.fnUntraced(function*({ params, query }) {
          const { conversation, messages } = yield* analyst.conversation(
            (yield* Caller).principal,
            params.conv_id,
            { ...pageOf(query), order: query.order }
          )
          return yield* answerConversation({
            ...conversationBody(conversation),
            messages: messages.items.map(messageBody),
            next_cursor: messages.next
          })
        }))
      )
      .handleRaw(
        "removeConversation",
        operation(Effect.fnUntraced(function*({ params, request }) {
          const { principal } = yield* readNothing(request)
          yield* analyst.remove(principal, params.conv_id)
          return HttpServerResponse.empty({ status: 204 })
        }))
      )
  })
)
