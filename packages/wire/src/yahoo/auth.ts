/** A fake of Yahoo's authentication. A page sets a cookie, and a crumb is valid only together with its cookie. */
import { Effect } from "effect"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"

const unauthorized = (description: string): FakeResponse => ({
  status: 401,
  body: { finance: { result: null, error: { code: "Unauthorized", description } } }
})

const page = "<!DOCTYPE html><html><head><title>AAPL</title></head><body>Quote</body></html>"
const html = { "content-type": "text/html; charset=utf-8" }
const cookieOf = (name: string, value: string) =>
  `${name}=${value}; Max-Age=31557600; Domain=.yahoo.com; Path=/; SameSite=None; Secure; HttpOnly`

const form =
  `<form method="post"><input type="hidden" name="csrfToken" value="c&#x2F;srf"><input type="hidden" name="sessionId" value="s1"></form>`

export interface YahooAuth {
  readonly handleRequest: RequestHandler
  /** Serves a request if the request has a valid cookie and crumb. */
  readonly guard: (
    request: FakeRequest,
    serve: Effect.Effect<FakeResponse | null>
  ) => Effect.Effect<FakeResponse | null>
  readonly expireCookies: () => void
}

export const makeYahooAuth = ({ asks: asksForConsent = false }: { readonly asks?: boolean } = {}): YahooAuth => {
  let issued = 0
  let oldest = 1
  const crumbs = new Map<string, string>()
  const cookie = (request: FakeRequest): string | undefined => /\bA3=(\w+)/u.exec(request.headers.cookie ?? "")?.[1]
  const isValid = (cookie: string | undefined): cookie is string =>
    cookie !== undefined && Number(cookie.slice(1)) >= oldest && Number(cookie.slice(1)) <= issued
  const issueCookie = (): FakeResponse => {
    issued++
    return { headers: { ...html, "set-cookie": cookieOf("A3", `d${issued}`) }, body: page }
  }
  const redirectTo = (location: string, cookies: Readonly<Record<string, string>> = {}): FakeResponse => ({
    status: 302,
    headers: { ...html, location, ...cookies },
    body: ""
  })

  const handle = ({ headers, method, path, query }: FakeRequest, cookie: string | undefined): FakeResponse | null => {
    switch (path) {
      case "/quote/AAPL":
        return asksForConsent && query.get("guccounter") === null && !(headers.cookie ?? "").includes("CFC=")
          ? redirectTo("https://guce.yahoo.com/consent?brandType=nonEu", { "set-cookie": cookieOf("GUCS", "g1") })
          : issueCookie()
      case "/consent":
        return redirectTo("https://consent.yahoo.com/v2/collectConsent?sessionId=s1")
      case "/v2/collectConsent":
        return method === "POST"
          ? redirectTo("https://guce.yahoo.com/copyConsent?sessionId=s1", { "set-cookie": cookieOf("CFC", "yes") })
          : { headers: html, body: form }
      case "/copyConsent":
        return redirectTo("https://finance.yahoo.com/quote/AAPL?guccounter=1", { "set-cookie": cookieOf("GUC", "yes") })
      case "/v1/test/getcrumb": {
        if (!isValid(cookie)) return unauthorized("Invalid Cookie")
        const crumb = `cRuMb.${cookie}/x`
        crumbs.set(cookie, crumb)
        return { headers: { "content-type": "text/plain" }, body: crumb }
      }
      default:
        return null
    }
  }

  return {
    handleRequest: (request) => Effect.sync(() => handle(request, cookie(request))),
    guard: (request, serve) =>
      Effect.suspend(() => {
        const session = cookie(request)
        const crumb = request.query.get("crumb")
        if (!isValid(session) || crumb === null) return Effect.succeed(unauthorized("Invalid Cookie"))
        return crumbs.get(session) === crumb ? serve : Effect.succeed(unauthorized("Invalid Crumb"))
      }),
    expireCookies: () => {
      oldest = issued + 1
    }
  }
}
