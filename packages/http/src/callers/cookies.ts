import { sessionCookie } from "@tapeline/api"
import { SessionSettings } from "@tapeline/core"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Exchange } from "../exchange.ts"
import { Approach, isSecure } from "./Approach.ts"

type Request = HttpServerRequest.HttpServerRequest

const cookiesNamed = (name: string, cookies: string | undefined): ReadonlyArray<string> =>
  (cookies ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=")
    return at !== -1 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : []
  })

/**
 * Returns the value of a cookie. Undefined if the request has no cookie of this name, or two: either may be planted.
 */
export const cookieNamed = (name: string, cookies: string | undefined): string | undefined => {
  const found = cookiesNamed(name, cookies)
  return found.length === 1 ? found[0] : undefined
}

/**
 * The session cookie. Scripts cannot read it. Requests of other sites do not carry it, except for links that a user
 * follows. Browsers accept the name of the TLS cookie only over TLS and only from this host, so that no neighbouring
 * host can plant a cookie.
 */
export class SessionCookies extends Context.Service<SessionCookies, {
  readonly shown: (request: Request) => string | undefined
  readonly give: (request: Request, exchange: Exchange, text: Redacted.Redacted<string>) => void
  readonly takeBack: (request: Request, exchange: Exchange) => void
}>()("@tapeline/http/SessionCookies") {
  static readonly layer: Layer.Layer<SessionCookies, never, Approach> = Layer.effect(
    SessionCookies,
    Effect.gen(function*() {
      const [approach, { life }] = yield* Effect.all([Approach, SessionSettings])
      // Read requests have no `Origin`. If a proxy hides its host, a cookie that was set for TLS shows that TLS is
      // used.
      const isForTls = (request: Request) =>
        isSecure(approach, request) || cookiesNamed(sessionCookie.name, request.headers["cookie"]).length > 0
      const nameFor = (request: Request) => isForTls(request) ? sessionCookie.name : sessionCookie.local
      const set = (request: Request, exchange: Exchange, text: string, seconds: number) => {
        const secure = isForTls(request) ? "; Secure" : ""
        exchange.cookie = `${nameFor(request)}=${text}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
      }
      // The store ends a session in time. A browser that keeps the cookie longer gains no access.
      const seconds = Math.ceil(Duration.toSeconds(life))
      return SessionCookies.of({
        shown: (request) => cookieNamed(nameFor(request), request.headers["cookie"]),
        give: (request, exchange, text) => set(request, exchange, Redacted.value(text), seconds),
        takeBack: (request, exchange) => set(request, exchange, "", 0)
      })
    })
  )
}
