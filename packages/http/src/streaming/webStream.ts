import { Context, Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServerResponse } from "node:http"
import { handedOver } from "./handedOver.ts"
import { nodeResponseOf } from "./nodeResponse.ts"
import { SocketReader, tickMs } from "./SocketReader.ts"

/** Waits until the socket takes more, or nothing any more. */
const room = (reader: SocketReader): Promise<void> =>
  new Promise((resolve) => {
    if (!reader.isBlocked || reader.isOver) return resolve()
    reader.onRoom = () => resolve()
  })

/**
 * Writes what a stream of the web gives to a response of Node, by the rules for every reader: it hears something each
 * 15 s, and one that takes nothing for 30 s is cut off. Whoever leaves gives the stream up.
 */
const pump = async (source: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> => {
  const reading = source.getReader()
  let wake: () => void = () => undefined
  const reader = new SocketReader(response, 0, () => {
    wake()
    // Who gives it up need not hear that it was broken.
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

/** How a request is answered by a response of the web, as libraries give them that know no platform. */
export const makeWebStreams = Effect.sync(() => {
  const sources = new WeakMap<ServerResponse, ReadableStream<Uint8Array>>()
  // As in `makeStreamResponse`: the platform writes the head, and then runs this.
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
    // Whether the connection stays is between its two ends: a caller who asked for its end would wait for it.
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
