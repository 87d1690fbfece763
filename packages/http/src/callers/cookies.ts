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

/** What a browser holds under a name; undefined where that is nothing, and where it is two: either may be planted. */
export const cookieNamed = (name: string, cookies: string | undefined): string | undefined => {
  const found = cookiesNamed(name, cookies)
  return found.length === 1 ? found[0] : undefined
}

/**
 * The cookie of a session. Scripts do not see it, and other sites' requests are without it, but for links that are
 * followed. Under its own name browsers take it by TLS alone and for this host alone, so that no neighbour plants one.
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
      // A read has no origin: where a proxy hides its host, the cookie that it was given for TLS tells.
      const isForTls = (request: Request) =>
        isSecure(approach, request) || cookiesNamed(sessionCookie.name, request.headers["cookie"]).length > 0
      const nameFor = (request: Request) => isForTls(request) ? sessionCookie.name : sessionCookie.local
      const set = (request: Request, exchange: Exchange, text: string, seconds: number) => {
        const secure = isForTls(request) ? "; Secure" : ""
        exchange.cookie = `${nameFor(request)}=${text}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
      }
      // The store ends a session in time; that the browser forgets it later opens nothing.
      const seconds = Math.ceil(Duration.toSeconds(life))
      return SessionCookies.of({
        shown: (request) => cookieNamed(nameFor(request), request.headers["cookie"]),
        give: (request, exchange, text) => set(request, exchange, Redacted.value(text), seconds),
        takeBack: (request, exchange) => set(request, exchange, "", 0)
      })
    })
  )
}
