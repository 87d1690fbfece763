import type { RequestTimeout, TooManyLargeBodies } from "@tapeline/api"
import { type Principal, textIssues } from "@tapeline/core"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"
import {
  type BodyRefusal,
  callBodyLimit,
  confirmCaller,
  headFault,
  judged,
  type ReadBody,
  readBody,
  typeFault,
  unread
} from "../body.ts"
import { bodyBytes } from "../bodyText.ts"
import type { Exchange } from "../exchange.ts"
import { LargeBodies, type LargeRequest } from "./LargeBodies.ts"
import { lengthen, shorten } from "./longTexts.ts"
import { Upload } from "./Upload.ts"

/** Maximum size in bytes of a question's body: its images, in base64, and the rest. */
export const questionBodyLimit = 32 * 1024 * 1024

/** Reads the bytes of a large body. Fails if they arrive too slowly. */
const bytesOf = (
  request: HttpServerRequest.HttpServerRequest,
  large: LargeBodies,
  admitted: LargeRequest
): Effect.Effect<Uint8Array, BodyRefusal | RequestTimeout> => {
  const bytes = Effect.mapError(bodyBytes(request, questionBodyLimit), (error) => unread(error, questionBodyLimit))
  const { headers, source } = request
  if (!(source instanceof IncomingMessage)) return bytes
  const length = headers["content-length"]
  const declared = length === undefined ? undefined : Number(length)
  return large.receive(admitted, new Upload(source.socket, declared, questionBodyLimit), bytes)
}

/** Reads a large body in pieces, with the same result as `readBody`. */
const readLarge = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  { language }: Exchange,
  large: LargeBodies,
  admitted: LargeRequest
): Effect.fn.Return<ReadBody, BodyRefusal | RequestTimeout> {
  const bytes = yield* bytesOf(request, large, admitted)
  if (bytes.length === 0) return { value: {}, issues: [] }
  const fault = typeFault(request)
  if (fault !== undefined) return yield* fault
  const { hasEscapes, text, texts } = yield* shorten(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const read = judged(text, language)
  if ("_tag" in read) return yield* read
  // `lengthen` returns an object for an object.
  const value = lengthen(read.value, texts) as ReadBody["value"]
  return { value, issues: hasEscapes ? textIssues(value, language) ?? [] : read.issues }
})

/** A body with the caller that sent it. */
interface CallerBody extends ReadBody {
  readonly principal: Principal
}

/** Reads the bodies of questions. Large bodies, such as those with images, wait for their turn. */
export const makeQuestions = Effect.sync(() => {
  const large = new LargeBodies()
  return {
    /**
     * Reads the body of a question and passes it to `use` with the caller, who is checked again if the body came late.
     * A large body is in memory only until `use` ends.
     */
    read: <A, E>(
      request: HttpServerRequest.HttpServerRequest,
      account: number,
      exchange: Exchange,
      use: (body: CallerBody) => Effect.Effect<A, E>
    ): Effect.Effect<
      A,
      E | BodyRefusal | RequestTimeout | TooManyLargeBodies | Effect.Error<ReturnType<typeof confirmCaller>>
    > => {
      const fault = headFault(request, questionBodyLimit)
      if (fault !== undefined) return Effect.fail(fault)
      const length = request.headers["content-length"]
      const isSmall = length === undefined
        ? request.headers["transfer-encoding"] === undefined
        : Number(length) <= callBodyLimit
      const confirmed = (body: ReadBody) =>
        Effect.flatMap(confirmCaller(exchange), (principal) => use({ ...body, principal }))
      if (isSmall) return Effect.flatMap(readBody(request, callBodyLimit, exchange), confirmed)
      return large.admit(
        account,
        (admitted) => Effect.flatMap(readLarge(request, exchange, large, admitted), confirmed)
      )
    }
  }
})
