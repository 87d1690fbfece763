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
 * Returns the value of a cookie. Returns undefined if several cookies have the name, because another site could have
 * planted one of the cookies.
 */
export const uniqueCookie = (name: string, cookies: string | undefined): string | undefined => {
  const found = cookieValues(name, cookies)
  return found.length === 1 ? found[0] : undefined
}

/**
 * Reads and sets the session cookie. Scripts cannot read the cookie, and browsers send the cookie from another site
 * only if the user follows a link. Browsers accept the TLS name of the session cookie only over TLS and only from the
 * same host. A neighbouring host, such as another subdomain, cannot set a cookie with the TLS name.
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
      // If a proxy replaces the `Host` header, a cookie that was set for TLS shows that the browser uses TLS.
      const isForTls = (request: Request) =>
        isSecure(approach, request) || cookieValues(sessionCookie.name, request.headers["cookie"]).length > 0
      const cookieNameFor = (request: Request) => isForTls(request) ? sessionCookie.name : sessionCookie.local
      const setCookie = (request: Request, requestContext: RequestContext, token: string, seconds: number) => {
        const secure = isForTls(request) ? "; Secure" : ""
        requestContext.sessionCookieHeader = `${
          cookieNameFor(request)
        }=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
      }
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
