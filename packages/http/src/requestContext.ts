import { type ProblemCode, RequestId } from "@tapeline/api"
import {
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

/** The headers that a request may contain only once, because two readers could use different values. */
const singleHeaders = ["host", "authorization", "idempotency-key"] as const

/**
 * The headers that a request may contain only once, by the length of their names. The length distinguishes the three
 * names from each other and from nearly all other names.
 */
const singleHeadersByLength = new Map(singleHeaders.map((name) => [name.length, name]))

/** The state of an admitted account's rate-limit window. */
export interface RateLimitState extends RateLimitDecision {
  readonly limit: number
}

/** The admission of a caller: its time, the caller, and how to authenticate the caller again. */
export interface Admission {
  /** The time of the admission, of the monotonic clock in ns. */
  readonly atNs: bigint
  readonly principal: Principal
  /**
   * Authenticates the caller again, and returns the caller with the current scopes and plan of the key. Fails if the
   * key or session has ended.
   */
  readonly reauthenticate: Effect.Effect<Principal, InvalidKey | InvalidSession | StoreUnavailable>
}

/** The state of a request: values from its headers, and the admission of its caller. */
export interface RequestContext {
  readonly requestId: string
  readonly language: Language
  /**
   * The number of times that the request contains each header, as far as the platform knows. Many platforms keep only
   * the first of several equal headers.
   */
  readonly headerCounts: Readonly<Record<(typeof singleHeaders)[number], number>>
  /** The admission of the caller; undefined before the caller is admitted. */
  admission: Admission | undefined
  /**
   * The state of the rate-limit window; undefined before the caller is admitted. Every response to an admitted caller
   * reports the rate limit.
   */
  rateLimit: RateLimitState | undefined
  /** The `set-cookie` header of the response, which sets or removes the session cookie. */
  sessionCookieHeader: string | undefined
  /**
   * Sets the session cookie if the session gets a new token. The effect runs when the response's headers are about to
   * be written, and not earlier.
   */
  tokenRenewal: Effect.Effect<void> | undefined
  /** The problem code of the latest response to the request. */
  rejectionCode: ProblemCode | undefined
}

/**
 * The context of the current request. The outermost middleware sets the request context, so that all handlers and
 * problems share one request context.
 */
export const CurrentRequestContext = Context.Reference<RequestContext>("@tapeline/http/CurrentExchange", {
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

/**
 * Creates the context of a request. A valid `x-request-id` header becomes the request id; otherwise, the request gets a
 * new id.
 */
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
 * Returns the headers of all responses to a request: the request id, the language, and the rate limit of an admitted
 * caller.
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

/** Returns the log annotations of a request: the request id, and the method and path without secrets. */
export const requestLogFields = (
  request: HttpServerRequest.HttpServerRequest,
  { requestId }: RequestContext
): Readonly<Record<string, string>> => ({
  request_id: requestId,
  route: `${request.method} ${targetOf(request).path.replaceAll(secretPattern, "tl_...").slice(0, 200)}`
})

/** Returns the log annotations of an authenticated caller. */
export const callerLogFields = ({ account, actor }: Principal): Readonly<Record<string, number>> =>
  actor._tag === "Key"
    ? { account, key: actor.key }
    : actor._tag === "Session"
    ? { account, session: actor.session }
    : { account }

/** Returns the path and the query of a request. If a proxy sent an absolute URL, the origin is removed. */
export const targetOf = (
  { url }: HttpServerRequest.HttpServerRequest
): { readonly path: string; readonly query: string } => {
  const target = url.startsWith("/") ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "")
  const queryStart = target.indexOf("?")
  const path = queryStart === -1 ? target : target.slice(0, queryStart)
  return { path: path === "" ? "/" : path, query: queryStart === -1 ? "" : target.slice(queryStart) }
}

/** Returns whether a request declares a body. */
export const hasBody = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

export const currentRequestContext = Effect.map(
  Effect.context<never>(),
  (context) => Context.get(context, CurrentRequestContext)
)

/**
 * Returns the idempotency key of a request. If the request contains the header twice, returns an issue in the caller's
 * language.
 */
export const readIdempotencyKey = (
  { headers }: HttpServerRequest.HttpServerRequest,
  { language, headerCounts }: RequestContext
): { readonly idempotencyKey: string | undefined; readonly issues: ReadonlyArray<Issue> } => {
  if (headerCounts["idempotency-key"] < 2) return { idempotencyKey: headers["idempotency-key"], issues: [] }
  const header = "Idempotency-Key"
  const issue = { path: [header], message: formatMessage({ key: "repeated_header", params: { header } }, language) }
  // Node joins the values of a repeated header. The joined text would not be the key of any caller.
  return { idempotencyKey: undefined, issues: [issue] }
}
