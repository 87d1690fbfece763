import { AnswerBody, Caller, CancelBody, NotRunningBody, servedAgentApi } from "@tapeline/api"
import { Analyst, type Principal, PublicAddress } from "@tapeline/core"
import { type ConversationRefusal, followScopes, type Generation } from "@tapeline/core/agent"
import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { answering } from "../answer.ts"
import { readingOfCaller } from "../body.ts"
import { WhoCalls } from "../callers/WhoCalls.ts"
import { currentExchange } from "../exchange.ts"
import { idempotencyKeyOf } from "../idempotencyKey.ts"
import { operation } from "../operation.ts"
import { makeQuestions } from "../question/questions.ts"
import { reachedAt } from "../reachedAt.ts"
import { generationNamed, lastRead } from "../streaming/eventBytes.ts"
import { generationSource, makeStreamResponse, retoldResponse } from "../streaming/streamResponse.ts"

const answerWhole = answering(AnswerBody)
const answerNotRunning = answering(NotRunningBody)
const answerCancelled = answering(CancelBody)
const readNothing = readingOfCaller(Schema.Struct({}))

const followingOf =
  (analyst: Analyst["Service"], { stillOpens }: WhoCalls["Service"]) =>
  (request: HttpServerRequest.HttpServerRequest, principal: Principal, generation: Generation, after: number) => ({
    source: generationSource(analyst, generation.id),
    after,
    mayGoOn: stillOpens(request, followScopes(principal, generation))
  })

/** Finds the generation that a reader resumes: the running one, or else the ended one of the reader's event ids. */
const resumed = Effect.fnUntraced(function*(
  analyst: Analyst["Service"],
  principal: Principal,
  conversation: number,
  named: ReadonlyArray<string | undefined>
): Effect.fn.Return<
  { readonly generation: Generation | null; readonly told: typeof NotRunningBody.Type },
  ConversationRefusal
> {
  const running = yield* analyst.running(principal, conversation)
  if (running !== null) return { generation: running, told: { running: false } }
  const last = generationNamed(...named)
  const ended = last === null ? null : yield* analyst.ended(principal, conversation, last)
  const after = ended === null ? 0 : lastRead(ended.generation, ...named)
  if (ended === null || after === 0) return { generation: null, told: { running: false } }
  const { generation, isLogged } = ended
  // A page's `EventSource` would reconnect again and again for an empty stream.
  const isRead = generation.state === "closed" && after === generation.nextN - 1
  const told = { running: false, message_id: generation.answer } as const
  return { generation: isLogged && !isRead ? generation : null, told }
})

/**
 * The analyst's answers. A client that disconnects stops nothing: the answer continues, and is stored in its
 * conversation.
 */
export const layerAgentHandlers = (publicUrl: string | undefined) =>
  HttpApiBuilder.group(
    servedAgentApi,
    "agent",
    Effect.fnUntraced(function*(handlers) {
      const [analyst, whoCalls] = yield* Effect.all([Analyst, WhoCalls])
      const making = Effect.all([reachedAt(publicUrl), makeStreamResponse, makeQuestions])
      const [address, streamResponse, questions] = yield* making

      /** Reads a question and starts its answer. Returns the caller as checked after the body. */
      const asking = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
        const [{ principal: { account } }, exchange] = yield* Effect.all([Caller, currentExchange])
        const { idempotencyKey, issues: repeated } = idempotencyKeyOf(request, exchange)
        const begun = questions.read(request, account, exchange, ({ issues, principal, value }) =>
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
        return yield* Effect.provideService(begun, PublicAddress, address)
      })

      const following = followingOf(analyst, whoCalls)

      return handlers
        .handleRaw(
          "ask",
          operation(Effect.fnUntraced(function*({ request }) {
            const { generation, principal, replayed } = yield* asking(request)
            const scopes = followScopes(principal, generation)
            const answer = yield* whoCalls.whileOpen(request, scopes, analyst.whole(generation))
            return yield* answerWhole(answer, replayed ? { "idempotent-replayed": "true" } : {})
          }))
        )
        .handleRaw(
          "stream",
          operation(Effect.fnUntraced(function*({ request }) {
            const { generation, principal, replayed } = yield* asking(request)
            const retold = replayed ? yield* analyst.retold(generation) : null
            return retold === null
              ? streamResponse(request, following(request, principal, generation, 0), replayed)
              : retoldResponse(generation.id, retold)
          }))
        )
        .handleRaw(
          "resume",
          operation(Effect.fnUntraced(function*({ params, query, request }) {
            const named = [request.headers["last-event-id"], query.after]
            const { principal } = yield* Caller
            const { generation, told } = yield* resumed(analyst, principal, params.conv_id, named)
            return generation === null
              ? yield* answerNotRunning(told)
              : streamResponse(request, following(request, principal, generation, lastRead(generation, ...named)))
          }))
        )
        .handleRaw(
          "cancel",
          operation(Effect.fnUntraced(function*({ params, request }) {
            const { principal } = yield* readNothing(request)
            const cancelled = yield* analyst.cancel(principal, params.conv_id)
            return yield* answerCancelled({ cancelled, running: false })
          }))
        )
    })
  )
