import { UserIdNotAccepted } from "@tapeline/core"
import { ByteSize, Effect, Predicate, Schema } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"

/** The body has more than `limit` bytes. */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", { limit: Schema.Int }) {}

/** The body is not declared as JSON. */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", {}) {}

/** The body is not JSON, or not an object. */
export class InvalidBody extends Schema.TaggedError<InvalidBody>()("InvalidBody", {}) {}

export type BodyRefusal = PayloadTooLarge | UnsupportedMediaType | InvalidBody | UserIdNotAccepted

/** Bytes that a tool call's body, or an administrator's, may have. */
export const callBodyLimit = 256 * 1024

const isJson = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType)

/**
 * The JSON object in a request's body, or `{}` when there is no body, whatever its content type says. Refuses, in this
 * order: too many bytes, another media type, what is not a JSON object, and `user_id` at the top level.
 */
export const readObject = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.fn.Return<Readonly<Record<string, unknown>>, BodyRefusal> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return yield* new PayloadTooLarge({ limit })
  const text = yield* request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit)),
    Effect.mapError((error) =>
      error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
        ? new PayloadTooLarge({ limit })
        : new InvalidBody()
    )
  )
  if (text === "") return {}
  if (!isJson(request.headers["content-type"])) return yield* new UnsupportedMediaType()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return yield* new InvalidBody()
  }
  if (!Predicate.isObject(value) || Array.isArray(value)) return yield* new InvalidBody()
  if (Object.hasOwn(value, "user_id")) return yield* new UserIdNotAccepted()
  return value
})
