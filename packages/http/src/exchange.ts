import { RequestId } from "@tapeline/api"
import { type Language, languageOf } from "@tapeline/core"
import { Context, Effect, Predicate, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"

/** What is known of an exchange from its request's headers, before anything else is. */
export interface Exchange {
  readonly requestId: string
  readonly language: Language
}

/** The exchange at hand; set by the outermost middleware, so every handler and every problem sees the same. */
export const CurrentExchange = Context.Reference<Exchange>("@tapeline/http/CurrentExchange", {
  defaultValue: () => ({ requestId: "none", language: "en" })
})

const isRequestId = Schema.is(RequestId)

/** A valid incoming `x-request-id` is kept; otherwise a new one is made. */
export const exchangeOf = (request: HttpServerRequest.HttpServerRequest): Exchange => {
  const given = request.headers["x-request-id"]
  return {
    requestId: isRequestId(given) ? given : crypto.randomUUID(),
    language: languageOf(request.headers["x-lang"])
  }
}

/** The target of a request as its path and its query. A proxy's whole address is cut down to them. */
export const targetOf = (
  { url }: HttpServerRequest.HttpServerRequest
): { readonly path: string; readonly query: string } => {
  const target = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "")
  const end = target.indexOf("?")
  const path = end === -1 ? target : target.slice(0, end)
  return { path: path === "" ? "/" : path, query: end === -1 ? "" : target.slice(end) }
}

/** How often a request carries a header, as far as the platform tells: many keep only the first of two. */
export const timesSent = ({ headers, source }: HttpServerRequest.HttpServerRequest, name: string): number => {
  if (Predicate.hasProperty(source, "rawHeaders") && Array.isArray(source.rawHeaders)) {
    return source.rawHeaders.filter((entry, i) => i % 2 === 0 && String(entry).toLowerCase() === name).length
  }
  return headers[name] === undefined ? 0 : 1
}

/** True when a request announces a body. */
export const hasBody = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

export const currentExchange = Effect.map(Effect.context<never>(), (context) => Context.get(context, CurrentExchange))
