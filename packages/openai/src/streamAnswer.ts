import {
  ModelError,
  type ModelPart,
  ModelRefused,
  type ModelRequest,
  ModelTimeout,
  ModelUnavailable
} from "@tapeline/core/agent"
import { Array, Cause, Clock, Effect, Option, Schema, Stream } from "effect"
import type { AnswerReader } from "./AnswerReader.ts"
import { ChatReader } from "./chat/ChatReader.ts"
import { makeChatRequest } from "./chat/chatRequest.ts"
import type { OpenAiModelOptions } from "./options.ts"
import { ResponsesReader } from "./responses/ResponsesReader.ts"
import { makeResponsesRequest } from "./responses/responsesRequest.ts"
import { toFields } from "./usage.ts"
import type { Provider } from "./wire/client.ts"
import { readProviderError, toFailure, toModelError } from "./wire/failure.ts"

/** The maximum wait in ms from the model's last word to the end of the response. */
const graceMs = 2_000

/**
 * The maximum average length of a token, in UTF-16 units. The client stops an answer whose tokens are longer on
 * average.
 */
const unitsPerToken = 32

const isModelError = Schema.is(ModelError)

/** Runs a step of the HTTP client, and converts everything that the step throws to a `ModelError`. */
const convertErrors = <A>(provider: Provider, step: () => PromiseLike<A>): Effect.Effect<A, ModelError> =>
  Effect.tryPromise({ try: step, catch: (error) => error }).pipe(
    Effect.catch((error) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(toFailure(error, provider, now)))
    )
  )

const convertReadErrors = <A>(read: () => A): Effect.Effect<A, ModelError> =>
  Effect.try({
    try: read,
    catch: (error) => isModelError(error) ? error : new ModelUnavailable({ detail: "the response cannot be parsed" })
  })

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Rejects a response that is not an event stream, such as an error page of a proxy or an error as JSON with status 200.
 */
const requireEventStream = Effect.fnUntraced(function*(
  provider: Provider,
  response: Response
): Effect.fn.Return<void, ModelError> {
  const kind = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? ""
  if (kind === "" || kind === "text/event-stream" || kind === "application/x-ndjson" || kind === "text/plain") return
  if (kind.endsWith("json")) {
    const { error } = toFields(parseJson(yield* convertErrors(provider, () => response.text())))
    const now = yield* Clock.currentTimeMillis
    if (error !== undefined) return yield* Effect.fail(toModelError(readProviderError(error), provider, now))
  }
  const description = /^[a-z]+\/[a-z0-9.+-]{1,60}$/u.test(kind) ? kind : "something else"
  return yield* new ModelRefused({
    detail: `the response is ${description} instead of an event stream: OPENAI_BASE_URL must be an API that streams ` +
      "(usually it ends in /v1)"
  })
})

const makeReader = (provider: Provider, { api, model }: OpenAiModelOptions): AnswerReader =>
  api === "responses"
    ? new ResponsesReader(model, (error) => {
      throw toModelError(readProviderError(error), provider, 0)
    })
    : new ChatReader(model)

const startRequest = Effect.fnUntraced(function*(
  provider: Provider,
  options: OpenAiModelOptions,
  request: ModelRequest,
  signal: AbortSignal
) {
  const { client } = provider
  const { data, response } = yield* convertErrors<{ data: AsyncIterable<unknown>; response: Response }>(
    provider,
    () =>
      options.api === "responses"
        ? client.responses.create(makeResponsesRequest(request, options), { signal }).withResponse()
        : client.chat.completions.create(makeChatRequest(request, options), { signal }).withResponse()
  )
  yield* requireEventStream(provider, response)
  return data[Symbol.asyncIterator]()
})

/**
 * Returns a stream of the parts of one answer. The stream reads each part on demand, and aborts the HTTP request when
 * the stream ends.
 */
export const streamAnswer = (
  baseProvider: Provider,
  options: OpenAiModelOptions,
  request: ModelRequest
): Stream.Stream<ModelPart, ModelError> =>
  Stream.unwrap(Effect.gen(function*() {
    const controller = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (controller) => Effect.sync(() => controller.abort())
    )
    const provider = baseProvider.withSilenceLimit(request.silenceMs)
    // The timeout covers the whole start of the request, because an error page can arrive one byte at a time without a
    // silence.
    const { firstByteMs, idleMs } = provider.timeouts
    const events = yield* Effect.timeoutOrElse(startRequest(provider, options, request, controller.signal), {
      duration: firstByteMs + idleMs,
      orElse: () => Effect.fail(new ModelTimeout({ waitedMs: firstByteMs + idleMs }))
    })
    const reader = makeReader(provider, options)
    const maxUnits = request.maxOutputTokens * unitsPerToken + 4_096
    let isOver = false
    const nextEvent = Effect.suspend(() => {
      const event = convertErrors(provider, () => events.next())
      // After the model has ended its answer, a failure of a later event does not fail the answer.
      return reader.isFinished
        ? event.pipe(Effect.timeoutOption(graceMs), Effect.catch(() => Effect.succeedNone))
        : Effect.asSome(event)
    })
    const finish = Effect.fnUntraced(function*(
      isTruncated: boolean
    ): Effect.fn.Return<ReadonlyArray<ModelPart>, ModelError> {
      isOver = true
      controller.abort()
      const parts = yield* convertReadErrors(() => reader.end(isTruncated))
      if (parts !== null) return parts
      return yield* new ModelUnavailable({ detail: "the stream broke off before the end of the answer" })
    })
    const nextParts = Effect.gen(function*() {
      for (;;) {
        if (isOver) return yield* Cause.done()
        const event = yield* nextEvent
        const parts = Option.isNone(event) || event.value.done === true
          ? yield* finish(false)
          : yield* convertReadErrors(() => reader.read(event.value.value))
        const partsToEmit = !isOver && reader.units > maxUnits ? [...parts, ...(yield* finish(true))] : parts
        if (Array.isReadonlyArrayNonEmpty(partsToEmit)) return partsToEmit
      }
    })
    return Stream.fromPull(Effect.succeed(nextParts))
  }))
