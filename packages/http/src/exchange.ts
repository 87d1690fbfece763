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

/** The headers of which a request may carry one, since two readers could read two differently. */
const single = ["host", "authorization", "idempotency-key"] as const

/** They are told apart by their length, and from nearly all others too. */
const byLength = new Map(single.map((name) => [name.length, name]))

/** How the minute of an account stands that was let in. */
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

/** What is known of an exchange: from its request's headers, before anything else is, and from its admission. */
export interface Exchange {
  readonly requestId: string
  readonly language: Language
  /** How often the request carries each of these, as far as the platform tells: many keep only the first of two. */
  readonly sent: Readonly<Record<(typeof single)[number], number>>
  /** Set once the caller is admitted. */
  admitted: Admitted | undefined
  /** Set once the caller's key is let in; whatever is answered from then on says how the minute stands. */
  window: AdmittedWindow | undefined
  /** The cookie that the answer gives its browser, or takes back, as its header has it. */
  cookie: string | undefined
  /** Sets the cookie where a session is to have another text, once the answer's head is written and not before. */
  renewal: Effect.Effect<void> | undefined
  /** The code of the problem that the request was last answered with. */
  rejectedWith: RefusalCode | undefined
}

/** The exchange at hand; set by the outermost middleware, so every handler and every problem sees the same. */
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

/** A valid incoming `x-request-id` is kept; otherwise a new one is made. */
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

/** What every answer of an exchange says: its id and language, and how the minute of a caller who was let in stands. */
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

/** The target of a request as its path and its query. A proxy's whole address is cut down to them. */
export const targetOf = (
  { url }: HttpServerRequest.HttpServerRequest
): { readonly path: string; readonly query: string } => {
  const target = url.startsWith("/") ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "")
  const end = target.indexOf("?")
  const path = end === -1 ? target : target.slice(0, end)
  return { path: path === "" ? "/" : path, query: end === -1 ? "" : target.slice(end) }
}

/** True when a request announces a body. */
export const hasBody = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

export const currentExchange = Effect.map(Effect.context<never>(), (context) => Context.get(context, CurrentExchange))
