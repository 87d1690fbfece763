import { type Language, languageOf } from "@tapeline/core"
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"

/** What is known of an exchange from its request's headers, before anything else is. */
export interface Exchange {
  readonly requestId: string
  readonly language: Language
}

/** The exchange at hand; set by the outermost middleware, so every handler and every problem sees the same. */
export const CurrentExchange = Context.Reference<Exchange>("@tapeline/http/CurrentExchange", {
  defaultValue: () => ({ requestId: "none", language: "en" })
})

const requestIdForm = /^[A-Za-z0-9._-]{1,128}$/

/** A valid incoming `x-request-id` is kept; otherwise a new one is made. */
export const exchangeOf = (request: HttpServerRequest.HttpServerRequest): Exchange => {
  const given = request.headers["x-request-id"]
  return {
    requestId: given !== undefined && requestIdForm.test(given) ? given : crypto.randomUUID(),
    language: languageOf(request.headers["x-lang"])
  }
}

/** The address of a request without its query. */
export const pathOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const end = request.url.search(/[?#]/)
  return end === -1 ? request.url : request.url.slice(0, end)
}

export const currentExchange = Effect.map(Effect.context<never>(), (context) => Context.get(context, CurrentExchange))
