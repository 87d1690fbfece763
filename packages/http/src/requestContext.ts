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

/** Headers that a request may carry only once, because two readers could use different ones. */
const singleHeaders = ["host", "authorization", "idempotency-key"] as const

/** The length distinguishes these headers from each other, and from nearly all others. */
const singleHeadersByLength = new Map(singleHeaders.map((name) => [name.length, name]))

/** The rate-limit window of an admitted account. */
export interface RateLimitState extends RateLimitDecision {
  readonly limit: number
}

/** When a caller was admitted, and how its key or session is checked again. */
export interface Admission {
  /** The time of the monotonic clock, ns. */
  readonly atNs: bigint
  readonly principal: Principal
  /** Returns the caller: with the present scopes and plan of a key. Fails if the key or session is over. */
  readonly reauthenticate: Effect.Effect<Principal, InvalidKey | InvalidSession | StoreUnavailable>
}

/** The state of an exchange: from its request's headers, which are read first, and from its admission. */
export interface RequestContext {
  readonly requestId: string
  readonly language: Language
  /**
   * How often the request carries each of these headers, as far as the platform knows. Many platforms keep only the
   * first.
   */
  readonly headerCounts: Readonly<Record<(typeof singleHeaders)[number], number>>
  /** Set once the caller is admitted. */
  admission: Admission | undefined
  /** Set once the caller is admitted. All later responses report the rate limit. */
  rateLimit: RateLimitState | undefined
  /** The `set-cookie` header of the response, which sets or removes the session cookie. */
  sessionCookieHeader: string | undefined
  /** Sets the cookie if the session gets a new token. Runs when the response's head is written, and not earlier. */
  tokenRenewal: Effect.Effect<void> | undefined
  /** The problem code of the latest response to the request. */
  rejectionCode: ProblemCode | undefined
}

/** The current exchange. The outermost middleware sets it, so that all handlers and problems use the same one. */
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

/** Makes the exchange of a request. Keeps a valid incoming `x-request-id`, and otherwise makes a new id. */
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

/** The headers of all responses of an exchange: its id, its language, and the rate limit of an admitted caller. */
export const contextHeadersOf = ({ language, requestId, rateLimit }: RequestContext): Record<string, string> =>
  rateLimit === undefined ? { "x-request-id": requestId, "content-language": language } : {
    "cache-control": "no-store",
    "ratelimit-limit": String(rateLimit.limit),
    "ratelimit-remaining": String(rateLimit.remaining),
    "ratelimit-reset": String(Math.ceil(rateLimit.resetMs / 1000)),
    "x-request-id": requestId,
    "content-language": language
  }

/** A key, session or link that a caller put into the path by mistake. */
const secretPattern = /tl_[a-z]+_\w+/g

/** Log annotations of a request: the id that the caller received, and the method and path without secrets. */
export const requestLogFields = (
  request: HttpServerRequest.HttpServerRequest,
  { requestId }: RequestContext
): Readonly<Record<string, string>> => ({
  request_id: requestId,
  route: `${request.method} ${targetOf(request).path.replaceAll(secretPattern, "tl_...").slice(0, 200)}`
})

/** Log annotations of an authenticated caller. */
export const callerLogFields = ({ account, actor }: Principal): Readonly<Record<string, number>> =>
  actor._tag === "Key"
    ? { account, key: actor.key }
    : actor._tag === "Session"
    ? { account, session: actor.session }
    : { account }

/** The path and the query of a request's target. If a proxy sent an absolute URL, its origin is removed. */
export const targetOf = (
  { url }: HttpServerRequest.HttpServerRequest
): { readonly path: string; readonly query: string } => {
  const target = url.startsWith("/") ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "")
  const queryStart = target.indexOf("?")
  const path = queryStart === -1 ? target : target.slice(0, queryStart)
  return { path: path === "" ? "/" : path, query: queryStart === -1 ? "" : target.slice(queryStart) }
}

/** Whether a request announces a body. */
export const hasBody = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

export const currentRequestContext = Effect.map(
  Effect.context<never>(),
  (context) => Context.get(context, CurrentRequestContext)
)

/** Returns the idempotency key of a request. If the header is sent twice, returns an issue in the caller's language. */
export const readIdempotencyKey = (
  { headers }: HttpServerRequest.HttpServerRequest,
  { language, headerCounts }: RequestContext
): { readonly idempotencyKey: string | undefined; readonly issues: ReadonlyArray<Issue> } => {
  if (headerCounts["idempotency-key"] < 2) return { idempotencyKey: headers["idempotency-key"], issues: [] }
  const header = "Idempotency-Key"
  const issue = { path: [header], message: formatMessage({ key: "repeated_header", params: { header } }, language) }
  // Node joins a header that is sent twice. The joined text is not a valid key of any caller.
  return { idempotencyKey: undefined, issues: [issue] }
}
