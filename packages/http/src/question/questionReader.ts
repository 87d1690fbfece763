import type { RequestTimeout, TooManyLargeBodies } from "@tapeline/api"
import { findTextIssues, type Principal } from "@tapeline/core"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"
import {
  type BodyError,
  bodyReadError,
  callBodyLimit,
  checkBodyHeaders,
  checkContentType,
  confirmCaller,
  parseBody,
  type ParsedBody,
  readBody
} from "../body.ts"
import { readBodyBytes } from "../bodyReader.ts"
import type { RequestContext } from "../requestContext.ts"
import { LargeBodyQueue, type LargeRequest, Upload } from "./LargeBodyQueue.ts"
import { extractLongTexts, restoreLongTexts } from "./longTexts.ts"

/** The maximum size of a question's body, with its images in base64, in bytes. */
export const questionBodyLimit = 32 * 1024 * 1024

const readLargeBytes = (
  request: HttpServerRequest.HttpServerRequest,
  queue: LargeBodyQueue,
  largeRequest: LargeRequest
): Effect.Effect<Uint8Array, BodyError | RequestTimeout> => {
  const bytes = Effect.mapError(
    readBodyBytes(request, questionBodyLimit),
    (error) => bodyReadError(error, questionBodyLimit)
  )
  const { headers, source } = request
  if (!(source instanceof IncomingMessage)) return bytes
  const length = headers["content-length"]
  const declared = length === undefined ? undefined : Number(length)
  return queue.receive(largeRequest, new Upload(source.socket, declared, questionBodyLimit), bytes)
}

/** Reads a large body in parts. `readLargeBody` returns the same result as `readBody`. */
const readLargeBody = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  { language }: RequestContext,
  queue: LargeBodyQueue,
  largeRequest: LargeRequest
): Effect.fn.Return<ParsedBody, BodyError | RequestTimeout> {
  const bytes = yield* readLargeBytes(request, queue, largeRequest)
  if (bytes.length === 0) return { value: {}, issues: [] }
  const error = checkContentType(request)
  if (error !== undefined) return yield* error
  const { hasEscapes, text, texts } = yield* extractLongTexts(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  )
  const parsed = parseBody(text, language)
  if ("_tag" in parsed) return yield* parsed
  // The cast is safe, because `restoreLongTexts` returns an object if its argument is an object.
  const value = restoreLongTexts(parsed.value, texts) as ParsedBody["value"]
  return { value, issues: hasEscapes ? findTextIssues(value, language) ?? [] : parsed.issues }
})

interface BodyWithCaller extends ParsedBody {
  readonly principal: Principal
}

/** Creates a reader for the request bodies of questions. Large bodies, such as bodies with images, wait in a queue. */
export const makeQuestionReader = Effect.sync(() => {
  const queue = new LargeBodyQueue()
  return {
    /**
     * Passes the body of a question and the caller to `use`. If the body arrived late, authenticates the caller again.
     * A large body stays in memory only until `use` ends.
     */
    read: <A, E>(
      request: HttpServerRequest.HttpServerRequest,
      account: number,
      requestContext: RequestContext,
      use: (body: BodyWithCaller) => Effect.Effect<A, E>
    ): Effect.Effect<
      A,
      E | BodyError | RequestTimeout | TooManyLargeBodies | Effect.Error<ReturnType<typeof confirmCaller>>
    > => {
      const error = checkBodyHeaders(request, questionBodyLimit)
      if (error !== undefined) return Effect.fail(error)
      const length = request.headers["content-length"]
      const isSmall = length === undefined
        ? request.headers["transfer-encoding"] === undefined
        : Number(length) <= callBodyLimit
      const useConfirmed = (body: ParsedBody) =>
        Effect.flatMap(confirmCaller(requestContext), (principal) => use({ ...body, principal }))
      if (isSmall) return Effect.flatMap(readBody(request, callBodyLimit, requestContext), useConfirmed)
      return queue.admit(
        account,
        (largeRequest) => Effect.flatMap(readLargeBody(request, requestContext, queue, largeRequest), useConfirmed)
      )
    }
  }
})
