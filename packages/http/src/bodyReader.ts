import { ByteSize, Effect, Fiber } from "effect"
import { HttpIncomingMessage, HttpServerError, type HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"

const decoder = new TextDecoder()

/** Request bodies above this size in bytes are copied to one buffer while they arrive. */
const largeBodyBytes = 1024 * 1024

/**
 * The headers that describe a body. A direct read requires that the three headers have the same values as in Node's
 * request.
 */
const bodyHeaders = ["content-length", "content-encoding", "transfer-encoding"] as const

/** The request headers that prevent a direct read of the body from Node. */
const otherTransferHeaders = ["expect", "upgrade"] as const

/**
 * Returns the Node request if the body has a declared length and can be read directly from Node. Otherwise returns
 * undefined.
 */
const directSource = ({ headers, source }: HttpServerRequest.HttpServerRequest): IncomingMessage | undefined =>
  source instanceof IncomingMessage && !source.destroyed && !source.readableDidRead &&
    source.readableEncoding === null && headers["content-length"] !== undefined &&
    otherTransferHeaders.every((name) => source.headers[name] === undefined) &&
    bodyHeaders.every((name) => headers[name] === source.headers[name])
    ? source
    : undefined

const ignoreError = () => undefined

/**
 * Collects the chunks of a body with a declared length, and copies a long body as the chunks arrive, not at the end.
 */
class BodyCollector {
  readonly #buffer: Buffer | undefined
  readonly #chunks: Array<Uint8Array> = []
  #length = 0

  constructor(length: number) {
    this.#buffer = length > largeBodyBytes ? Buffer.allocUnsafeSlow(length) : undefined
  }

  append(chunk: Uint8Array): void {
    if (this.#buffer === undefined) this.#chunks.push(chunk)
    else this.#buffer.set(chunk, this.#length)
    this.#length += chunk.length
  }

  bytes(): Uint8Array {
    const [only] = this.#chunks
    if (this.#buffer !== undefined) return this.#buffer.subarray(0, this.#length)
    return only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks)
  }
}

const readDirectly = (
  request: HttpServerRequest.HttpServerRequest,
  source: IncomingMessage
): Effect.Effect<Uint8Array, HttpServerError.HttpServerError> =>
  Effect.callback((resume) => {
    const collector = new BodyCollector(Number(source.headers["content-length"]))
    const removeListeners = () => {
      source.off("data", onData).off("end", onEnd).off("error", onError).off("close", onError)
    }
    const onData = (chunk: Uint8Array) => collector.append(chunk)
    const onEnd = () => {
      removeListeners()
      resume(Effect.succeed(collector.bytes()))
    }
    const onError = (cause?: unknown) => {
      removeListeners()
      resume(Effect.fail(
        new HttpServerError.HttpServerError({ reason: new HttpServerError.RequestParseError({ request, cause }) })
      ))
    }
    source.on("data", onData).on("end", onEnd).on("error", onError).on("close", onError)
    return Effect.sync(() => {
      removeListeners()
      // If the connection is already broken, an error event without a listener would end the process.
      source.on("error", ignoreError)
    })
  })

/**
 * Reads the text of a request body of at most `limit` bytes. Reads directly from Node if possible, because the
 * platform's reader is slow.
 */
export const readBodyText = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<string, HttpServerError.HttpServerError> => {
  const source = directSource(request)
  return source === undefined || Number(request.headers["content-length"]) > limit
    ? Effect.provideService(request.text, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit))
    : Effect.map(readDirectly(request, source), (bytes) => decoder.decode(bytes))
}

/**
 * Continues a read even if the caller of the read is interrupted. Interrupting the read of a body would make the
 * platform destroy the connection.
 */
const continueWhenInterrupted = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.forkDetach(read, { startImmediately: true }), Fiber.join)

/** Reads the bytes of a request body of at most `limit` bytes, directly from Node if possible. */
export const readBodyBytes = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<Uint8Array, HttpServerError.HttpServerError> => {
  const source = directSource(request)
  return source === undefined || Number(request.headers["content-length"]) > limit
    ? Effect.map(
      continueWhenInterrupted(
        Effect.provideService(request.arrayBuffer, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit))
      ),
      (buffer) => new Uint8Array(buffer)
    )
    : readDirectly(request, source)
}
