import {
  ModelError,
  type ModelPart,
  ModelRefused,
  type ModelRequest,
  ModelTimeout,
  ModelUnavailable
} from "@tapeline/core/agent"
import { Array, Cause, Clock, Effect, Option, Schema, Stream } from "effect"
import { ChatReader } from "./chat/ChatReader.ts"
import { chatRequest } from "./chat/chatRequest.ts"
import type { OpenAiModelOptions } from "./options.ts"
import type { Reader } from "./Reader.ts"
import { ResponsesReader } from "./responses/ResponsesReader.ts"
import { responsesRequest } from "./responses/responsesRequest.ts"
import { fieldsOf } from "./usage.ts"
import type { Provider } from "./wire/client.ts"
import { complained, complaintOf, failureOf } from "./wire/failure.ts"

/** Maximum wait for data after the model's last word, such as the usage and the end. */
const graceMs = 2_000

/** No token is this long on average. A longer answer ignores its limit. */
const unitsPerToken = 32

const isModelError = Schema.is(ModelError)

/** Runs a step of the client. Converts everything that it throws to an error of the port. */
const asking = <A>(provider: Provider, step: () => PromiseLike<A>): Effect.Effect<A, ModelError> =>
  Effect.tryPromise({ try: step, catch: (error) => error }).pipe(
    Effect.catch((error) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(failureOf(error, provider, now)))
    )
  )

const reading = <A>(read: () => A): Effect.Effect<A, ModelError> =>
  Effect.try({
    try: read,
    catch: (error) =>
      isModelError(error) ? error : new ModelUnavailable({ detail: "it sent what cannot be understood" })
  })

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Rejects a response that is not an event stream. It usually comes from a proxy or another service and not from the
 * API. Some providers send an error as JSON with status 200.
 */
const refuseOtherThanEvents = Effect.fnUntraced(function*(
  provider: Provider,
  response: Response
): Effect.fn.Return<void, ModelError> {
  const kind = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? ""
  if (kind === "" || kind === "text/event-stream" || kind === "application/x-ndjson" || kind === "text/plain") return
  if (kind.endsWith("json")) {
    const { error } = fieldsOf(jsonOf(yield* asking(provider, () => response.text())))
    const now = yield* Clock.currentTimeMillis
    if (error !== undefined) return yield* Effect.fail(complained(complaintOf(error), provider, now))
  }
  const what = /^[a-z]+\/[a-z0-9.+-]{1,60}$/u.test(kind) ? kind : "something else"
  return yield* new ModelRefused({
    detail:
      `it answers with ${what} in place of a stream of events: OPENAI_BASE_URL must lead to an API that streams ` +
      "(usually it ends in /v1)"
  })
})

const readerOf = (provider: Provider, { api }: OpenAiModelOptions): Reader =>
  api === "responses"
    ? new ResponsesReader((error) => {
      throw complained(complaintOf(error), provider, 0)
    })
    : new ChatReader()

/** Sends the request. Returns an iterator of the answer's events. */
const begin = Effect.fnUntraced(function*(
  provider: Provider,
  options: OpenAiModelOptions,
  request: ModelRequest,
  signal: AbortSignal
) {
  const { client } = provider
  const { data, response } = yield* asking<{ data: AsyncIterable<unknown>; response: Response }>(
    provider,
    () =>
      options.api === "responses"
        ? client.responses.create(responsesRequest(request, options), { signal }).withResponse()
        : client.chat.completions.create(chatRequest(request, options), { signal }).withResponse()
  )
  yield* refuseOtherThanEvents(provider, response)
  return data[Symbol.asyncIterator]()
})

/**
 * The parts of one answer. Each part is read only when the stream's consumer requests it, so that parts do not
 * accumulate. When the stream ends, the request is aborted and its connection closed.
 */
export const answerParts = (
  whole: Provider,
  options: OpenAiModelOptions,
  request: ModelRequest
): Stream.Stream<ModelPart, ModelError> =>
  Stream.unwrap(Effect.gen(function*() {
    const controller = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (controller) => Effect.sync(() => controller.abort())
    )
    const provider = whole.within(request.silenceMs)
    // A response that is not a stream can arrive one byte at a time.
    const { firstByteMs, idleMs } = provider.patience
    const events = yield* Effect.timeoutOrElse(begin(provider, options, request, controller.signal), {
      duration: firstByteMs + idleMs,
      orElse: () => Effect.fail(new ModelTimeout({ waitedMs: firstByteMs + idleMs }))
    })
    const reader = readerOf(provider, options)
    const mostUnits = request.maxOutputTokens * unitsPerToken + 4_096
    let over = false
    const next = Effect.suspend(() => {
      const event = asking(provider, () => events.next())
      // The answer is complete, even if the rest fails.
      return reader.finished
        ? event.pipe(Effect.timeoutOption(graceMs), Effect.catch(() => Effect.succeedNone))
        : Effect.asSome(event)
    })
    const ended = (cut: boolean): Effect.Effect<ReadonlyArray<ModelPart>, ModelError> => {
      over = true
      controller.abort()
      const parts = reader.end(cut)
      return parts === null
        ? Effect.fail(new ModelUnavailable({ detail: "it broke off before the end of its answer" }))
        : Effect.succeed(parts)
    }
    const some = Effect.gen(function*() {
      for (;;) {
        if (over) return yield* Cause.done()
        const event = yield* next
        const parts = Option.isNone(event) || event.value.done === true
          ? yield* ended(false)
          : yield* reading(() => reader.read(event.value.value))
        const all = !over && reader.units > mostUnits ? [...parts, ...(yield* ended(true))] : parts
        if (Array.isReadonlyArrayNonEmpty(all)) return all
      }
    })
    return Stream.fromPull(Effect.succeed(some))
  }))
