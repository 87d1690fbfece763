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
 * Writes a web stream to a Node response, with a heartbeat every 15 s. Stops when the web stream ends, when the client
 * disconnects, or when the client accepts no data for 30 s.
 */
const pipeToResponse = async (source: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> => {
  const sourceReader = source.getReader()
  let wake: () => void = () => undefined
  const reader = new SocketReader(response, 0, () => {
    wake()
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

/**
 * Creates a function that converts the web `Response` objects of platform-independent libraries to responses of
 * Effect's HTTP server.
 */
export const makeWebResponder = Effect.sync(() => {
  const bodies = new WeakMap<ServerResponse, ReadableStream<Uint8Array>>()
  // The platform writes the headers and then runs `takeOver`, as in `makeStreamResponse`.
  const takeOver = Stream.fromEffectDrain(Effect.withFiber((fiber) => {
    const response = nodeResponseOf(Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest))
    const source = response && bodies.get(response)
    if (response === undefined || source === undefined) {
      return Effect.die(new Error("the response has no stream to read"))
    }
    bodies.delete(response)
    return Effect.map(takeOverResponse(response), () => void pipeToResponse(source, response))
  }))
  return (
    request: HttpServerRequest.HttpServerRequest,
    webResponse: Response
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    const { body, headers, status } = webResponse
    // The `connection` header of the web response is not copied, because the header concerns only one connection. With
    // a copied header, a caller that requested the end of the connection would wait for the end.
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
