import { type RefusalCode, RequestId } from "@tapeline/api"
import {
  type InvalidKey,
  type InvalidSession,
  type Language,
  languageOf,
  type Principal,
  type WindowVerdict
} from "@tapeline/core"
import type { StoreUnavailable } from "@tapeline/core/engine"
import { Context, Effect, Predicate, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Headers that a request may carry only once, because two readers could use different ones. */
const single = ["host", "authorization", "idempotency-key"] as const

/** The length distinguishes these headers from each other, and from nearly all others. */
const byLength = new Map(single.map((name) => [name.length, name]))

/** The rate-limit window of an admitted account. */
export interface AdmittedWindow extends WindowVerdict {
  readonly limit: number
}

/** When a caller was admitted, and how its key or session is checked again. */
export interface Admitted {
  /** The time of the monotonic clock, ns. */
  readonly at: bigint
  readonly principal: Principal
  /** Returns the caller: with the present scopes and plan of a key. Fails if the key or session is over. */
  readonly confirm: Effect.Effect<Principal, InvalidKey | InvalidSession | StoreUnavailable>
}

/** The state of an exchange: from its request's headers, which are read first, and from its admission. */
export interface Exchange {
  readonly requestId: string
  readonly language: Language
  /**
   * How often the request carries each of these headers, as far as the platform knows. Many platforms keep only the
   * first.
   */
  readonly sent: Readonly<Record<(typeof single)[number], number>>
  /** Set once the caller is admitted. */
  admitted: Admitted | undefined
  /** Set once the caller is admitted. All later responses report the rate limit. */
  window: AdmittedWindow | undefined
  /** The `set-cookie` header of the response, which sets or removes the session cookie. */
  cookie: string | undefined
  /** Sets the cookie if the session gets a new token. Runs when the response's head is written, and not earlier. */
  renewal: Effect.Effect<void> | undefined
  /** The problem code of the latest response to the request. */
  rejectedWith: RefusalCode | undefined
}

/** The current exchange. The outermost middleware sets it, so that all handlers and problems use the same one. */
export const CurrentExchange = Context.Reference<Exchange>("@tapeline/http/CurrentExchange", {
  defaultValue: () => ({
    requestId: "none",
    language: "en",
    sent: { host: 1, authorization: 0, "idempotency-key": 0 },
    admitted: undefined,
    window: undefined,
    cookie: undefined,
    renewal: undefined,
    rejectedWith: undefined
  })
})

const isRequestId = Schema.is(RequestId)

const sentBy = ({ headers, source }: HttpServerRequest.HttpServerRequest): Exchange["sent"] => {
  const sent = { host: 0, authorization: 0, "idempotency-key": 0 }
  if (Predicate.hasProperty(source, "rawHeaders") && Array.isArray(source.rawHeaders)) {
    const raw: ReadonlyArray<unknown> = source.rawHeaders
    for (let i = 0; i < raw.length; i += 2) {
      const text = raw[i]
      const name = typeof text === "string" ? byLength.get(text.length) : undefined
      if (name !== undefined && String(text).toLowerCase() === name) sent[name]++
    }
  } else {
    for (const name of single) if (headers[name] !== undefined) sent[name] = 1
  }
  return sent
}

/** Makes the exchange of a request. Keeps a valid incoming `x-request-id`, and otherwise makes a new id. */
export const exchangeOf = (request: HttpServerRequest.HttpServerRequest): Exchange => {
  const given = request.headers["x-request-id"]
  return {
    requestId: given !== undefined && isRequestId(given) ? given : crypto.randomUUID(),
    language: languageOf(request.headers["x-lang"]),
    sent: sentBy(request),
    admitted: undefined,
    window: undefined,
    cookie: undefined,
    renewal: undefined,
    rejectedWith: undefined
  }
}

/** The headers of all responses of an exchange: its id, its language, and the rate limit of an admitted caller. */
export const saidOf = ({ language, requestId, window }: Exchange): Record<string, string> =>
  window === undefined ? { "x-request-id": requestId, "content-language": language } : {
    "cache-control": "no-store",
    "ratelimit-limit": String(window.limit),
    "ratelimit-remaining": String(window.remaining),
    "ratelimit-reset": String(Math.ceil(window.resetMs / 1000)),
    "x-request-id": requestId,
    "content-language": language
  }

/** A key, session or link that a caller put into the path by mistake. */
const secret = /tl_[a-z]+_\w+/g

/** Log annotations of a request: the id that the caller received, and the method and path without secrets. */
export const loggedOf = (
  request: HttpServerRequest.HttpServerRequest,
  { requestId }: Exchange
): Readonly<Record<string, string>> => ({
  request_id: requestId,
  route: `${request.method} ${targetOf(request).path.replaceAll(secret, "tl_...").slice(0, 200)}`
})

/** Log annotations of an authenticated caller. */
export const loggedCaller = ({ account, actor }: Principal): Readonly<Record<string, number>> =>
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
  const end = target.indexOf("?")
  const path = end === -1 ? target : target.slice(0, end)
  return { path: path === "" ? "/" : path, query: end === -1 ? "" : target.slice(end) }
}

/** Whether a request announces a body. */
export const hasBody = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

export const currentExchange = Effect.map(Effect.context<never>(), (context) => Context.get(context, CurrentExchange))
