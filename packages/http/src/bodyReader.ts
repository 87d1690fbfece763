import { ByteSize, Effect, Fiber } from "effect"
import { HttpIncomingMessage, HttpServerError, type HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"

const decoder = new TextDecoder()

/** A body with more bytes takes long to copy. */
const largeBodyBytes = 1024 * 1024

/** Headers that describe a body, and change with it. */
const bodyHeaders = ["content-length", "content-encoding", "transfer-encoding"] as const

/** Headers of requests whose body arrives in another way: after an interim response, or on an upgraded connection. */
const otherTransferHeaders = ["expect", "upgrade"] as const

/**
 * Returns the Node request if its body can be read directly from it. The request must declare the body's length and
 * have no header of `otherTransferHeaders`. Its body must not have been read, decoded or replaced. Undefined otherwise.
 */
const directSource = ({ headers, source }: HttpServerRequest.HttpServerRequest): IncomingMessage | undefined =>
  source instanceof IncomingMessage && !source.destroyed && !source.readableDidRead &&
    source.readableEncoding === null && headers["content-length"] !== undefined &&
    otherTransferHeaders.every((name) => source.headers[name] === undefined) &&
    bodyHeaders.every((name) => headers[name] === source.headers[name])
    ? source
    : undefined

const ignoreError = () => undefined

/** Collects a body with a declared length. A long body is assembled as it arrives, not all at once at its end. */
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
      // The connection may already be broken. An error without a listener ends the process.
      source.on("error", ignoreError)
    })
  })

/**
 * Reads the text of a request's body, at most `limit` bytes. On Node, nearly all bodies are read directly: the
 * platform's way costs as much as the rest of an exchange on the server.
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
 * Reads on if the caller is interrupted. The platform destroys the connection with an interrupted read, so that no
 * response can be sent. The read ends with the connection.
 */
const continueWhenInterrupted = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.forkDetach(read, { startImmediately: true }), Fiber.join)

/** Reads the bytes of a request's body, at most `limit`, in the same two ways as `readBodyText`. */
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
