import { ByteSize, Effect, Fiber } from "effect"
import { HttpIncomingMessage, HttpServerError, type HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"

const decoder = new TextDecoder()

/** The minimum size of a large body, in bytes. Copying a large body takes long. */
const largeBodyBytes = 1024 * 1024

/** The headers that describe a body. A body can be read directly only if the headers still describe the sent body. */
const bodyHeaders = ["content-length", "content-encoding", "transfer-encoding"] as const

/**
 * The headers of requests whose body arrives in another way: after an interim response, or on an upgraded connection.
 */
const otherTransferHeaders = ["expect", "upgrade"] as const

/**
 * Returns the Node request if the body can be read directly from Node, or undefined otherwise. The request must declare
 * the body's length and must not have a header of `otherTransferHeaders`. The body must not have been read, decoded or
 * replaced.
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
 * Collects the chunks of a body with a declared length. A long body is copied to one buffer as the chunks arrive, so
 * that no long copy is necessary at the end.
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
      // The connection may already be broken. Without an error listener, an error would end the process.
      source.on("error", ignoreError)
    })
  })

/**
 * Reads the text of a request's body, at most `limit` bytes. Nearly all bodies are read directly from Node, because
 * reading a body through the platform costs as much as the rest of a request.
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
 * Continues a read after the interruption of its caller, until the connection ends. If a read is interrupted, the
 * platform destroys the connection, so that no response can be sent.
 */
const continueWhenInterrupted = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.forkDetach(read, { startImmediately: true }), Fiber.join)

/**
 * Reads the bytes of a request's body, at most `limit`. As in `readBodyText`, most bodies are read directly from Node.
 */
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
