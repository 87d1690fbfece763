import { AnswerBody, Caller, CancelBody, NotRunningBody, servedAgentApi } from "@tapeline/api"
import { Analyst, formatCallId, type Principal, PublicBaseUrl } from "@tapeline/core"
import { type ConversationError, type Generation, listFollowScopes } from "@tapeline/core/agent"
import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeCallerBodyReader } from "../body.ts"
import { RequestAuthenticator } from "../callers/RequestAuthenticator.ts"
import { publicAddress } from "../publicAddress.ts"
import { makeQuestionReader } from "../question/questionReader.ts"
import { currentRequestContext, readIdempotencyKey } from "../requestContext.ts"
import { callHeaders, makeJsonResponder, makeOperation } from "../responses.ts"
import { generationOfEventIds, lastReadEvent } from "../streaming/eventEncoding.ts"
import { generationLog, makeStreamResponse, replayResponse } from "../streaming/streamResponse.ts"

const respondAnswer = makeJsonResponder(AnswerBody)
const respondNotRunning = makeJsonResponder(NotRunningBody)
const respondCancelled = makeJsonResponder(CancelBody)
const readEmptyBody = makeCallerBodyReader(Schema.Struct({}))

const answerHeaders = ({ reservation }: Generation, replayed: boolean) =>
  callHeaders(formatCallId(reservation), replayed)

const makeSubscriptionOf =
  (analyst: Analyst["Service"], { isStillAuthorized }: RequestAuthenticator["Service"]) =>
  (request: HttpServerRequest.HttpServerRequest, principal: Principal, generation: Generation, after: number) => ({
    source: generationLog(analyst, generation.id),
    after,
    isStillAuthorized: isStillAuthorized(request, listFollowScopes(principal, generation))
  })

/** Returns the running generation of an answer, or else the ended generation that the given event ids name. */
const findResumable = Effect.fnUntraced(function*(
  analyst: Analyst["Service"],
  principal: Principal,
  conversation: number,
  eventIds: ReadonlyArray<string | undefined>
): Effect.fn.Return<
  { readonly generation: Generation | null; readonly notRunning: typeof NotRunningBody.Type },
  ConversationError
> {
  const running = yield* analyst.findRunning(principal, conversation)
  if (running !== null) return { generation: running, notRunning: { running: false } }
  const endedId = generationOfEventIds(...eventIds)
  const ended = endedId === null ? null : yield* analyst.findEnded(principal, conversation, endedId)
  const after = ended === null ? 0 : lastReadEvent(ended.generation, ...eventIds)
  if (ended === null || after === 0) return { generation: null, notRunning: { running: false } }
  const { generation, isLogged } = ended
  // An answer that was read to its end is not returned, because `EventSource` would reconnect to the empty stream again
  // and again.
  const isFullyRead = generation.state === "closed" && after === generation.nextN - 1
  const notRunning = { running: false, message_id: generation.answer } as const
  return { generation: isLogged && !isFullyRead ? generation : null, notRunning }
})

/**
 * The handlers for the analyst's answers. If a client disconnects, the answer continues and is stored in its
 * conversation.
 */
export const layerAgentHandlers = (publicUrl: string | undefined) =>
  HttpApiBuilder.group(
    servedAgentApi,
    "agent",
    Effect.fnUntraced(function*(handlers) {
      const [analyst, whoCalls] = yield* Effect.all([Analyst, RequestAuthenticator])
      const services = Effect.all([publicAddress(publicUrl), makeStreamResponse, makeQuestionReader])
      const [address, streamResponse, questions] = yield* services

      /**
       * Reads a question, starts an answer to the question, and returns the started answer with the caller's principal.
       * If the body arrived late, the caller is authenticated again.
       */
      const startAnswer = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
        const [{ principal: { account } }, exchange] = yield* Effect.all([Caller, currentRequestContext])
        const { idempotencyKey, issues: repeated } = readIdempotencyKey(request, exchange)
        const answerStart = questions.read(request, account, exchange, ({ issues, principal, value }) =>
          Effect.map(
            analyst.start({
              principal,
              language: exchange.language,
              idempotencyKey,
              request: value,
              issues: [...repeated, ...issues]
            }),
            (started) => ({ ...started, principal })
          ))
        return yield* Effect.provideService(answerStart, PublicBaseUrl, address)
      })

      const subscriptionOf = makeSubscriptionOf(analyst, whoCalls)

      return handlers
        .handleRaw(
          "ask",
          makeOperation(Effect.fnUntraced(function*({ request }) {
            const { generation, principal, replayed } = yield* startAnswer(request)
            const scopes = listFollowScopes(principal, generation)
            const answer = yield* whoCalls.whileAuthorized(request, scopes, analyst.awaitAnswer(generation))
            return yield* respondAnswer(answer, answerHeaders(generation, replayed))
          }))
        )
        .handleRaw(
          "stream",
          makeOperation(Effect.fnUntraced(function*({ request }) {
            const { generation, principal, replayed } = yield* startAnswer(request)
            const replayedEvents = replayed ? yield* analyst.replayEvents(generation) : null
            return replayedEvents === null
              ? streamResponse(
                request,
                subscriptionOf(request, principal, generation, 0),
                answerHeaders(generation, replayed)
              )
              : replayResponse(generation.id, replayedEvents, answerHeaders(generation, replayed))
          }))
        )
        .handleRaw(
          "resume",
          makeOperation(Effect.fnUntraced(function*({ params, query, request }) {
            const eventIds = [request.headers["last-event-id"], query.after]
            const { principal } = yield* Caller
            const { generation, notRunning } = yield* findResumable(analyst, principal, params.conv_id, eventIds)
            return generation === null
              ? yield* respondNotRunning(notRunning)
              : streamResponse(
                request,
                subscriptionOf(request, principal, generation, lastReadEvent(generation, ...eventIds))
              )
          }))
        )
        .handleRaw(
          "cancel",
          makeOperation(Effect.fnUntraced(function*({ params, request }) {
            const { principal } = yield* readEmptyBody(request)
            const cancelled = yield* analyst.cancel(principal, params.conv_id)
            return yield* respondCancelled({ cancelled, running: false })
          }))
        )
    })
  )
