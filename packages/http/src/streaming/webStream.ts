import { Context, Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServerResponse } from "node:http"
import { handedOver } from "./handedOver.ts"
import { nodeResponseOf } from "./nodeResponse.ts"
import { SocketReader, tickMs } from "./SocketReader.ts"

/** Waits until the socket accepts more data, or is closed. */
const room = (reader: SocketReader): Promise<void> =>
  new Promise((resolve) => {
    if (!reader.isBlocked || reader.isOver) return resolve()
    reader.onRoom = () => resolve()
  })

/**
 * Writes a web stream to a Node response, with the rules for all readers: a heartbeat every 15 s, and a disconnect if
 * the socket accepts nothing for 30 s. Cancels the stream if the reader leaves.
 */
const pump = async (source: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> => {
  const reading = source.getReader()
  let wake: () => void = () => undefined
  const reader = new SocketReader(response, 0, () => {
    wake()
    // An error of a cancelled stream is not needed.
    reading.cancel().catch(() => undefined)
  })
  const ticking = setInterval(() => reader.tick(), tickMs)
  try {
    for (let n = 1;; n++) {
      const { done, value } = await reading.read()
      if (reader.isOver) return
      if (done) return reader.end()
      reader.write({ n, bytes: value })
      await new Promise<void>((resolve) => {
        wake = resolve
        void room(reader).then(resolve)
      })
    }
  } catch {
    reader.cut()
  } finally {
    clearInterval(ticking)
  }
}

const eventStream = /^text\/event-stream\b/i

/** Makes responses from web `Response` objects, which libraries without knowledge of the platform return. */
export const makeWebStreams = Effect.sync(() => {
  const sources = new WeakMap<ServerResponse, ReadableStream<Uint8Array>>()
  // As in `makeStreamResponse`: the platform writes the head, and then runs this effect.
  const taken = Stream.fromEffectDrain(Effect.withFiber((fiber) => {
    const response = nodeResponseOf(Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest))
    const source = response && sources.get(response)
    if (response === undefined || source === undefined) return Effect.die(new Error("nothing is to be read here"))
    sources.delete(response)
    return Effect.map(handedOver(response), () => void pump(source, response))
  }))
  return (
    request: HttpServerRequest.HttpServerRequest,
    answer: Response
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    const { body, headers, status } = answer
    // The `connection` header concerns only the two ends of a connection. A caller that asked for its end would wait
    // for it.
    const given = Object.fromEntries([...headers].filter(([name]) => name !== "connection"))
    if (body === null) return Effect.succeed(HttpServerResponse.empty({ status, headers: given }))
    const contentType = headers.get("content-type") ?? "application/octet-stream"
    if (!eventStream.test(contentType)) {
      return Effect.map(
        Effect.promise(() => answer.text()),
        (text) => HttpServerResponse.text(text, { status, headers: given, contentType })
      )
    }
    const response = nodeResponseOf(request)
    if (response !== undefined) sources.set(response, body)
    const stream = response === undefined
      ? Stream.fromReadableStream({ evaluate: () => body, onError: (error) => error })
      : taken
    return Effect.succeed(HttpServerResponse.stream(stream, {
      status,
      headers: { ...given, "cache-control": "no-cache, no-store, no-transform", "x-accel-buffering": "no" },
      contentType
    }))
  }
})
