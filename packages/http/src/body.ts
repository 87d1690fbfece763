import { InvalidBody, PayloadTooLarge, UnsupportedMediaType } from "@tapeline/api"
import {
  findTextIssues,
  formatIssues,
  type Issue,
  type Language,
  maxDepth,
  toInvalidArguments,
  UserIdNotAccepted
} from "@tapeline/core"
import { findRepeatedName } from "@tapeline/core/engine"
import { Clock, Effect, Predicate, Schema } from "effect"
import type { HttpServerError, HttpServerRequest } from "effect/http"
import { readBodyText } from "./bodyReader.ts"
import { currentRequestContext, hasBody, type RequestContext } from "./requestContext.ts"

export type BodyError = PayloadTooLarge | UnsupportedMediaType | InvalidBody | UserIdNotAccepted

/** The maximum size of the body of a tool call or an admin request, in bytes. */
export const callBodyLimit = 256 * 1024

/** Returns whether a content type is JSON in UTF-8, the only encoding that RFC 8259, 8.1, allows. */
const isJson = (contentType: string | undefined): boolean => {
  if (contentType === undefined || !/^application\/json\s*(;|$)/i.test(contentType)) return false
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType)?.[1]
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)
}

/**
 * A decoded request body. `issues` contains an issue for each NUL character and each unpaired surrogate in the texts of
 * the body.
 */
export interface ParsedBody {
  readonly value: Readonly<Record<string, unknown>>
  readonly issues: ReadonlyArray<Issue>
}

export const bodyReadError = (error: HttpServerError.HttpServerError, limit: number): PayloadTooLarge | InvalidBody =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? new PayloadTooLarge({ limit })
    : new InvalidBody({ callerMessage: { key: "invalid_body" } })

/** Returns whether a JSON text contains too few opening brackets to exceed the nesting limit. */
const isShallow = (text: string): boolean => {
  let openBrackets = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if ((code === 0x7b || code === 0x5b) && ++openBrackets === maxDepth) return false
  }
  return true
}

/**
 * Returns an issue for each NUL character and each unpaired surrogate in the texts of a body. Returns null if the body
 * is nested too deeply.
 */
const issuesIn = (text: string, value: unknown, language: Language): ReadonlyArray<Issue> | null =>
  // JSON in UTF-8 can contain NUL characters and unpaired surrogates only as escape sequences.
  isShallow(text) && !text.includes("\\u") ? [] : findTextIssues(value, language)

/** Returns a name that an object of a JSON text contains twice, or undefined if no object repeats a name. */
const repeatedNameIn = (text: string, value: unknown): string | undefined =>
  isShallow(text) && JSON.stringify(value) === text ? undefined : findRepeatedName(text)

export const checkContentType = (
  { headers }: HttpServerRequest.HttpServerRequest
): UnsupportedMediaType | undefined =>
  isJson(headers["content-type"])
    ? undefined
    : new UnsupportedMediaType({ callerMessage: { key: "unsupported_media_type" } })

export const parseBody = (text: string, language: Language): ParsedBody | BodyError => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return new InvalidBody({ callerMessage: { key: "invalid_json" } })
  }
  if (!Predicate.isObject(value) || Array.isArray(value)) {
    return new InvalidBody({ callerMessage: { key: "invalid_body" } })
  }
  const name = repeatedNameIn(text, value)
  if (name !== undefined) return new InvalidBody({ callerMessage: { key: "repeated_name", params: { name } } })
  const issues = issuesIn(text, value, language)
  if (issues === null) return new InvalidBody({ callerMessage: { key: "body_too_deep", params: { limit: maxDepth } } })
  return Object.hasOwn(value, "user_id") ? new UserIdNotAccepted() : { value, issues }
}

/** Returns an error if the headers of a request declare a body that is too large or compressed. */
export const checkBodyHeaders = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): BodyError | undefined => {
  const { headers } = request
  if (Number(headers["content-length"] ?? 0) > limit) return new PayloadTooLarge({ limit })
  const encoding = headers["content-encoding"]
  return encoding !== undefined && encoding.trim().toLowerCase() !== "identity" && hasBody(request)
    ? new UnsupportedMediaType({ callerMessage: { key: "compressed_body" } })
    : undefined
}

/**
 * Reads the JSON object in the body of a request, or `{}` if the request has no body. Checks the body in this order:
 * size, compression, media type, JSON syntax, JSON object, repeated names, nesting depth, and `user_id` at the top
 * level. Returns the issues of invalid texts instead of failing; the argument check then rejects the request.
 */
export const readBody = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number,
  { language }: RequestContext
): Effect.Effect<ParsedBody, BodyError> => {
  const headerError = checkBodyHeaders(request, limit)
  if (headerError !== undefined) return Effect.fail(headerError)
  return Effect.matchEffect(readBodyText(request, limit), {
    onFailure: (error) => Effect.fail(bodyReadError(error, limit)),
    onSuccess: (text) => {
      if (text === "") return Effect.succeed({ value: {}, issues: [] })
      const parsed = checkContentType(request) ?? parseBody(text, language)
      return "_tag" in parsed ? Effect.fail(parsed) : Effect.succeed(parsed)
    }
  })
}

/** The duration in ns after which the arrival of a request body is late, so that the caller is authenticated again. */
const lateAfterNs = 100_000_000n

/**
 * Returns the caller of a request. If the body arrived late, authenticates the caller again, because the API key or
 * session may have ended meanwhile.
 */
export const confirmCaller = ({ admission }: RequestContext) =>
  admission === undefined
    ? Effect.die(new Error("the request has no caller"))
    : Effect.flatMap(
      Clock.monotonicTimeNanos,
      (now) => now - admission.atNs < lateAfterNs ? Effect.succeed(admission.principal) : admission.reauthenticate
    )

/** Reads a request body with `readBody`, and returns the body together with the caller from `confirmCaller`. */
export const readCallerBody = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number,
  requestContext: RequestContext
) =>
  Effect.flatMap(
    readBody(request, limit, requestContext),
    (body) => Effect.map(confirmCaller(requestContext), (principal) => ({ ...body, principal }))
  )

/** Creates a reader of request bodies that rejects unknown fields and reports all issues in the caller's language. */
export const makeBodyReader = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" })
  return Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
    const requestContext = yield* currentRequestContext
    const { issues, value } = yield* readBody(request, callBodyLimit, requestContext)
    if (issues.length > 0) return yield* toInvalidArguments(issues, requestContext.language)
    return yield* Effect.mapError(
      decode(value),
      (error) => toInvalidArguments(formatIssues(error.issue, requestContext.language), requestContext.language)
    )
  })
}

/** Creates a reader that returns a request's body together with the caller from `confirmCaller`. */
export const makeCallerBodyReader = <A, I>(schema: Schema.Codec<A, I>) => {
  const read = makeBodyReader(schema)
  return (request: HttpServerRequest.HttpServerRequest) =>
    Effect.flatMap(
      read(request),
      (body) => Effect.map(Effect.flatMap(currentRequestContext, confirmCaller), (principal) => ({ body, principal }))
    )
}
