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

/** What is sent after the model's last word (what was used, the end) is waited for no longer than this. */
const graceMs = 2_000

/** No token is as long, on average: an answer that is longer does not heed its limit. */
const unitsPerToken = 32

const isModelError = Schema.is(ModelError)

/** A step of the client; whatever it throws is an error of the port. */
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
 * What is not a stream of events is most likely not the API: a page of a proxy, or of another service. Some tell an
 * error as JSON in an answer of status 200.
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

/** Sends the request; gives the events of its answer, one at a time. */
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
 * The parts of one answer. Each is asked for by whoever reads the stream, so that nothing piles up; the request is
 * given up, and its connection closed, as soon as the stream is.
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
    // What is told in place of a stream may come a byte at a time.
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
      // What was said is whole, whatever becomes of the rest.
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
