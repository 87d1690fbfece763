import { type ProblemCode, RequestId } from "@tapeline/api"
import {
  type AccountSuspended,
  type AddressNotAllowed,
  formatMessage,
  type InvalidKey,
  type InvalidSession,
  type Issue,
  type Language,
  parseLanguage,
  type Principal,
  type RateLimitDecision
} from "@tapeline/core"
import type { StoreUnavailable } from "@tapeline/core/engine"
import { Context, Effect, Predicate, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"

/** The headers that a request may contain only once. Two readers of a repeated header could use different values. */
const singleHeaders = ["host", "authorization", "idempotency-key"] as const

/**
 * The headers that a request may contain only once, keyed by the length of their names. Comparing the lengths of names
 * first excludes nearly all other headers.
 */
const singleHeadersByLength = new Map(singleHeaders.map((name) => [name.length, name]))

export interface RateLimitState extends RateLimitDecision {
  readonly limit: number
}

/** The admission of a request. Contains the caller and an effect that authenticates the caller again. */
export interface Admission {
  /** The time of the caller's admission, in ns of the monotonic clock. */
  readonly atNs: bigint
  readonly principal: Principal
  /**
   * Authenticates the caller again, and returns the caller with the current scopes and plan; fails if the key or
   * session has ended.
   */
  readonly reauthenticate: Effect.Effect<
    Principal,
    InvalidKey | AddressNotAllowed | InvalidSession | AccountSuspended | StoreUnavailable
  >
}

/**
 * The state of a request. Contains values from the request headers and, after authentication, the caller's admission.
 */
export interface RequestContext {
  readonly requestId: string
  readonly language: Language
  /**
   * The number of times that the request contains each header. On platforms that drop repeated headers, the number is
   * at most 1.
   */
  readonly headerCounts: Readonly<Record<(typeof singleHeaders)[number], number>>
  admission: Admission | undefined
  rateLimit: RateLimitState | undefined
  sessionCookieHeader: string | undefined
  /** Renews the session token and sets the session cookie, directly before the response's headers are written. */
  tokenRenewal: Effect.Effect<void> | undefined
  rejectionCode: ProblemCode | undefined
}

/** The context of the current request, which the outermost middleware sets and all handlers share. */
export const CurrentRequestContext = Context.Reference<RequestContext>("@tapeline/http/CurrentRequestContext", {
  defaultValue: () => ({
    requestId: "none",
    language: "en",
    headerCounts: { host: 1, authorization: 0, "idempotency-key": 0 },
    admission: undefined,
    rateLimit: undefined,
    sessionCookieHeader: undefined,
    tokenRenewal: undefined,
    rejectionCode: undefined
  })
})

const isRequestId = Schema.is(RequestId)

const countSingleHeaders = (
  { headers, source }: HttpServerRequest.HttpServerRequest
): RequestContext["headerCounts"] => {
  const counts = { host: 0, authorization: 0, "idempotency-key": 0 }
  if (Predicate.hasProperty(source, "rawHeaders") && Array.isArray(source.rawHeaders)) {
    const rawHeaders: ReadonlyArray<unknown> = source.rawHeaders
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const text = rawHeaders[i]
      const name = typeof text === "string" ? singleHeadersByLength.get(text.length) : undefined
      if (name !== undefined && String(text).toLowerCase() === name) counts[name]++
    }
  } else {
    for (const name of singleHeaders) if (headers[name] !== undefined) counts[name] = 1
  }
  return counts
}

/** Creates the context of a request. The id of the request is a valid `x-request-id` header or else a new id. */
export const makeRequestContext = (request: HttpServerRequest.HttpServerRequest): RequestContext => {
  const incomingId = request.headers["x-request-id"]
  return {
    requestId: incomingId !== undefined && isRequestId(incomingId) ? incomingId : crypto.randomUUID(),
    language: parseLanguage(request.headers["x-lang"]),
    headerCounts: countSingleHeaders(request),
    admission: undefined,
    rateLimit: undefined,
    sessionCookieHeader: undefined,
    tokenRenewal: undefined,
    rejectionCode: undefined
  }
}

/**
 * Returns the headers that every response to a request contains. The headers include the caller's rate limit if the
 * caller has been admitted.
 */
export const contextHeadersOf = ({ language, requestId, rateLimit }: RequestContext): Record<string, string> =>
  rateLimit === undefined ? { "x-request-id": requestId, "content-language": language } : {
    "cache-control": "no-store",
    "ratelimit-limit": String(rateLimit.limit),
    "ratelimit-remaining": String(rateLimit.remaining),
    "ratelimit-reset": String(Math.ceil(rateLimit.resetMs / 1000)),
    "x-request-id": requestId,
    "content-language": language
  }

/** Matches an API key, a session token or a sign-in link that a caller wrote into the path by mistake. */
const secretPattern = /tl_[a-z]+_\w+/g

export const requestLogFields = (
  request: HttpServerRequest.HttpServerRequest,
  { requestId }: RequestContext
): Readonly<Record<string, string>> => ({
  request_id: requestId,
  route: `${request.method} ${targetOf(request).path.replaceAll(secretPattern, "tl_...").slice(0, 200)}`
})

export const callerLogFields = ({ account, actor }: Principal): Readonly<Record<string, number>> =>
  actor._tag === "Key"
    ? { account, key: actor.key }
    : actor._tag === "Session"
    ? { account, session: actor.session }
    : { account }

/** Returns the path and the query of a request. Removes the origin if a proxy sent an absolute URL. */
export const targetOf = (
  { url }: HttpServerRequest.HttpServerRequest
): { readonly path: string; readonly query: string } => {
  const target = url.startsWith("/") ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "")
  const queryStart = target.indexOf("?")
  const path = queryStart === -1 ? target : target.slice(0, queryStart)
  return { path: path === "" ? "/" : path, query: queryStart === -1 ? "" : target.slice(queryStart) }
}

export const hasBody = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

export const currentRequestContext = Effect.map(
  Effect.context<never>(),
  (context) => Context.get(context, CurrentRequestContext)
)

/**
 * Returns the idempotency key of a request. If the request contains several `Idempotency-Key` headers, returns an issue
 * with a message in the caller's language.
 */
export const readIdempotencyKey = (
  { headers }: HttpServerRequest.HttpServerRequest,
  { language, headerCounts }: RequestContext
): { readonly idempotencyKey: string | undefined; readonly issues: ReadonlyArray<Issue> } => {
  if (headerCounts["idempotency-key"] < 2) return { idempotencyKey: headers["idempotency-key"], issues: [] }
  const header = "Idempotency-Key"
  const issue = { path: [header], message: formatMessage({ key: "repeated_header", params: { header } }, language) }
  // Node joins the values of a repeated header, and the joined text would not be the key of any caller.
  return { idempotencyKey: undefined, issues: [issue] }
}
