import { InvalidBody, PayloadTooLarge, UnsupportedMediaType } from "@tapeline/api"
import { InvalidArguments, type Issue, maxDepth, sayIssues, textIssues, UserIdNotAccepted } from "@tapeline/core"
import { repeatedName } from "@tapeline/core/text"
import { ByteSize, Effect, Predicate, Schema } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { currentExchange, hasBody } from "./exchange.ts"

export type BodyRefusal = PayloadTooLarge | UnsupportedMediaType | InvalidBody | UserIdNotAccepted

/** Bytes that a tool call's body, or an administrator's, may have. */
export const callBodyLimit = 256 * 1024

const isJson = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType)

/** A body that could be read, and what is wrong with its texts: NUL, halves of surrogate pairs. */
export interface ReadBody {
  readonly value: Readonly<Record<string, unknown>>
  readonly issues: ReadonlyArray<Issue>
}

const readText = (request: HttpServerRequest.HttpServerRequest, limit: number) =>
  request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit)),
    Effect.mapError((error) =>
      error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
        ? new PayloadTooLarge({ limit })
        : new InvalidBody({ says: { key: "invalid_body" } })
    )
  )

/**
 * The JSON object in a request's body, or `{}` when there is no body, whatever its content type says. Refuses, in this
 * order: too many bytes, another media type or a compressed body, what is not a JSON object, has a name twice or is
 * nested too deep, and `user_id` at the top level. What is wrong with its texts is told, to be refused when
 * arguments are judged.
 */
export const readBody = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.fn.Return<ReadBody, BodyRefusal> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return yield* new PayloadTooLarge({ limit })
  const encoding = request.headers["content-encoding"]
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity" && hasBody(request)) {
    return yield* new UnsupportedMediaType({ says: { key: "compressed_body" } })
  }
  const text = yield* readText(request, limit)
  if (text === "") return { value: {}, issues: [] }
  if (!isJson(request.headers["content-type"])) {
    return yield* new UnsupportedMediaType({ says: { key: "unsupported_media_type" } })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return yield* new InvalidBody({ says: { key: "invalid_json" } })
  }
  if (!Predicate.isObject(value) || Array.isArray(value)) {
    return yield* new InvalidBody({ says: { key: "invalid_body" } })
  }
  const name = repeatedName(text)
  if (name !== undefined) return yield* new InvalidBody({ says: { key: "repeated_name", params: { name } } })
  const { language } = yield* currentExchange
  const issues = textIssues(value, language)
  if (issues === null) {
    return yield* new InvalidBody({ says: { key: "body_too_deep", params: { limit: maxDepth } } })
  }
  if (Object.hasOwn(value, "user_id")) return yield* new UserIdNotAccepted()
  return { value, issues }
})

/** Reads bodies of `schema`: strictly, every issue told in the caller's language. */
export const reading = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" })
  return Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
    const { issues, value } = yield* readBody(request, callBodyLimit)
    if (issues.length > 0) return yield* new InvalidArguments({ issues })
    const { language } = yield* currentExchange
    return yield* Effect.mapError(
      decode(value),
      (error) => new InvalidArguments({ issues: sayIssues(error.issue, language) })
    )
  })
}
