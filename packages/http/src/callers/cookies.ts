import { sessionCookie } from "@tapeline/api"
import { SessionSettings } from "@tapeline/core"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { RequestContext } from "../requestContext.ts"
import { isSecure, ReverseProxySettings } from "./ReverseProxySettings.ts"

type Request = HttpServerRequest.HttpServerRequest

const cookieValues = (name: string, cookies: string | undefined): ReadonlyArray<string> =>
  (cookies ?? "").split(";").flatMap((pair) => {
    const separator = pair.indexOf("=")
    return separator !== -1 && pair.slice(0, separator).trim() === name ? [pair.slice(separator + 1).trim()] : []
  })

/**
 * Returns the value of a cookie. Undefined if the request has no cookie of this name, or two: either may be planted.
 */
export const uniqueCookie = (name: string, cookies: string | undefined): string | undefined => {
  const found = cookieValues(name, cookies)
  return found.length === 1 ? found[0] : undefined
}

/**
 * The session cookie. Scripts cannot read it. Requests of other sites do not carry it, except for links that a user
 * follows. Browsers accept the name of the TLS cookie only over TLS and only from this host, so that no neighbouring
 * host can plant a cookie.
 */
export class SessionCookies extends Context.Service<SessionCookies, {
  readonly readToken: (request: Request) => string | undefined
  readonly setToken: (request: Request, requestContext: RequestContext, token: Redacted.Redacted<string>) => void
  readonly clearToken: (request: Request, requestContext: RequestContext) => void
}>()("@tapeline/http/SessionCookies") {
  static readonly layer: Layer.Layer<SessionCookies, never, ReverseProxySettings> = Layer.effect(
    SessionCookies,
    Effect.gen(function*() {
      const [approach, { maxLifetime }] = yield* Effect.all([ReverseProxySettings, SessionSettings])
      // Read requests have no `Origin`. If a proxy hides its host, a cookie that was set for TLS shows that TLS is
      // used.
      const isForTls = (request: Request) =>
        isSecure(approach, request) || cookieValues(sessionCookie.name, request.headers["cookie"]).length > 0
      const cookieNameFor = (request: Request) => isForTls(request) ? sessionCookie.name : sessionCookie.local
      const setCookie = (request: Request, requestContext: RequestContext, token: string, seconds: number) => {
        const secure = isForTls(request) ? "; Secure" : ""
        requestContext.sessionCookieHeader = `${
          cookieNameFor(request)
        }=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
      }
      // The store ends a session in time. A browser that keeps the cookie longer gains no access.
      const maxAgeSeconds = Math.ceil(Duration.toSeconds(maxLifetime))
      return SessionCookies.of({
        readToken: (request) => uniqueCookie(cookieNameFor(request), request.headers["cookie"]),
        setToken: (request, requestContext, text) =>
          setCookie(request, requestContext, Redacted.value(text), maxAgeSeconds),
        clearToken: (request, requestContext) => setCookie(request, requestContext, "", 0)
      })
    })
  )
}
