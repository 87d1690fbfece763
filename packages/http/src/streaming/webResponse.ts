import { Context, Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServerResponse } from "node:http"
import { nodeResponseOf, takeOverResponse } from "./nodeResponse.ts"
import { SocketReader, tickMs } from "./SocketReader.ts"

/** Waits until the socket accepts more data, or is closed. */
const awaitWritable = (reader: SocketReader): Promise<void> =>
  new Promise((resolve) => {
    if (!reader.isBlocked || reader.hasEnded) return resolve()
    reader.onWritable = () => resolve()
  })

/**
 * Writes a web stream to a Node response, with the rules for all readers: a heartbeat every 15 s, and a disconnect if
 * the socket accepts nothing for 30 s. Cancels the stream if the reader leaves.
 */
const pipeToResponse = async (source: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> => {
  const sourceReader = source.getReader()
  let wake: () => void = () => undefined
  const reader = new SocketReader(response, 0, () => {
    wake()
    // An error of a cancelled stream is not needed.
    sourceReader.cancel().catch(() => undefined)
  })
  const tickTimer = setInterval(() => reader.tick(), tickMs)
  try {
    for (let sequence = 1;; sequence++) {
      const { done, value } = await sourceReader.read()
      if (reader.hasEnded) return
      if (done) return reader.end()
      reader.write({ sequence, bytes: value })
      await new Promise<void>((resolve) => {
        wake = resolve
        void awaitWritable(reader).then(resolve)
      })
    }
  } catch {
    reader.disconnect()
  } finally {
    clearInterval(tickTimer)
  }
}

const eventStreamType = /^text\/event-stream\b/i

/** Makes responses from web `Response` objects, which libraries without knowledge of the platform return. */
export const makeWebResponder = Effect.sync(() => {
  const bodies = new WeakMap<ServerResponse, ReadableStream<Uint8Array>>()
  // As in `makeStreamResponse`: the platform writes the head, and then runs this effect.
  const takeOver = Stream.fromEffectDrain(Effect.withFiber((fiber) => {
    const response = nodeResponseOf(Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest))
    const source = response && bodies.get(response)
    if (response === undefined || source === undefined) return Effect.die(new Error("nothing is to be read here"))
    bodies.delete(response)
    return Effect.map(takeOverResponse(response), () => void pipeToResponse(source, response))
  }))
  return (
    request: HttpServerRequest.HttpServerRequest,
    webResponse: Response
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    const { body, headers, status } = webResponse
    // The `connection` header concerns only the two ends of a connection. A caller that asked for its end would wait
    // for it.
    const endToEndHeaders = Object.fromEntries([...headers].filter(([name]) => name !== "connection"))
    if (body === null) return Effect.succeed(HttpServerResponse.empty({ status, headers: endToEndHeaders }))
    const contentType = headers.get("content-type") ?? "application/octet-stream"
    if (!eventStreamType.test(contentType)) {
      return Effect.map(
        Effect.promise(() => webResponse.text()),
        (text) => HttpServerResponse.text(text, { status, headers: endToEndHeaders, contentType })
      )
    }
    const response = nodeResponseOf(request)
    if (response !== undefined) bodies.set(response, body)
    const stream = response === undefined
      ? Stream.fromReadableStream({ evaluate: () => body, onError: (error) => error })
      : takeOver
    return Effect.succeed(HttpServerResponse.stream(stream, {
      status,
      headers: { ...endToEndHeaders, "cache-control": "no-cache, no-store, no-transform", "x-accel-buffering": "no" },
      contentType
    }))
  }
})
