import { Caller, ConversationListBody, ConversationViewBody, ProposalBody, servedAgentApi } from "@tapeline/api"
import { Analyst, type ChatMessage, type Conversation, type Proposal } from "@tapeline/core"
import { noArguments } from "@tapeline/core/engine"
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeCallerBodyReader } from "../body.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { toProposalBody } from "./proposalBody.ts"

const respondConversations = makeJsonResponder(ConversationListBody)
const respondConversation = makeJsonResponder(ConversationViewBody)
const readEmptyBody = makeCallerBodyReader(Schema.Struct({}))

const respondProposal = makeJsonResponder(ProposalBody)
/** Rejects fields, because a caller could expect that they change the proposal. */
const readNoFields = makeCallerBodyReader(noArguments)

const defaultPageSize = 50

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

const messageBody = (message: ChatMessage, proposals: ReadonlyArray<Proposal>) => ({
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
  tools: message.tools.map(({ callId, name, ok }) => ({
    ...(callId === undefined ? {} : { call_id: callId }),
    name,
    ok
  })),
  suggestions: message.suggestions,
  ...(message.disclaimer === undefined ? {} : { disclaimer: message.disclaimer }),
  ...(message.figures === undefined ? {} : { figures: message.figures }),
  ...(message.unmatched === undefined ? {} : { unmatched: message.unmatched }),
  outcome: message.outcome,
  proposals: proposals.filter((proposal) => proposal.message === message.id).map((proposal) =>
    toProposalBody(proposal)
  ),
  ...(message.proposal === undefined ? {} : { proposal_id: message.proposal })
})

const toPage = ({ cursor, limit }: { readonly cursor?: string; readonly limit?: number }) => ({
  cursor: cursor ?? null,
  limit: limit ?? defaultPageSize
})

export const layerConversations = HttpApiBuilder.group(
  servedAgentApi,
  "conversations",
  Effect.fnUntraced(function*(handlers) {
    const analyst = yield* Analyst
    return handlers
      .handleRaw(
        "conversations",
        makeOperation(Effect.fnUntraced(function*({ query }) {
          const { items, next } = yield* analyst.listConversations((yield* Caller).principal, toPage(query))
          return yield* respondConversations({
            conversations: items.map((item) => ({ ...conversationBody(item), message_count: item.messageCount })),
            next_cursor: next
          })
        }))
      )
      .handleRaw(
        "conversation",
        makeOperation(Effect.fnUntraced(function*({ params, query }) {
          const { conversation, messages, proposals } = yield* analyst.getConversation(
            (yield* Caller).principal,
            params.conv_id,
            { ...toPage(query), order: query.order }
          )
          return yield* respondConversation({
            ...conversationBody(conversation),
            messages: messages.items.map((message) => messageBody(message, proposals)),
            next_cursor: messages.next
          })
        }))
      )
      .handleRaw(
        "removeConversation",
        makeOperation(Effect.fnUntraced(function*({ params, request }) {
          const { principal } = yield* readEmptyBody(request)
          yield* analyst.remove(principal, params.conv_id)
          return HttpServerResponse.empty({ status: 204 })
        }))
      )
      .handleRaw(
        "proposal",
        makeOperation(Effect.fnUntraced(function*({ params }) {
          const { principal } = yield* Caller
          return yield* respondProposal(toProposalBody(yield* analyst.findProposal(principal, params.proposal_id)))
        }))
      )
      .handleRaw(
        "acceptProposal",
        makeOperation(Effect.fnUntraced(function*({ params, request }) {
          const { principal } = yield* readNoFields(request)
          const { failure, proposal } = yield* analyst.acceptProposal(principal, params.proposal_id)
          return yield* respondProposal(toProposalBody(proposal, failure))
        }))
      )
      .handleRaw(
        "dismissProposal",
        makeOperation(Effect.fnUntraced(function*({ params, request }) {
          const { principal } = yield* readNoFields(request)
          return yield* respondProposal(toProposalBody(yield* analyst.dismissProposal(principal, params.proposal_id)))
        }))
      )
  })
)
