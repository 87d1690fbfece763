import { attemptLifetimeMs } from "@tapeline/core"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import { uniqueCookie } from "./cookies.ts"
import { isSecure, type ReverseProxySettings } from "./ReverseProxySettings.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The names of the cookie, formed like those of the session cookie. */
const cookieNames = { host: "__Host-tapeline_openid", local: "tapeline_openid" } as const

/** Maximum number of tabs that can be at the provider at once. A further one replaces the oldest. */
const maxAttempts = 4

const cookieNameFor = (proxySettings: ReverseProxySettings["Service"], request: Request): string =>
  isSecure(proxySettings, request) ? cookieNames.host : cookieNames.local

/** The identifiers of sign-ins that this browser started. */
export const readAttemptIds = (
  proxySettings: ReverseProxySettings["Service"],
  request: Request
): ReadonlyArray<string> =>
  (uniqueCookie(cookieNameFor(proxySettings, request), request.headers["cookie"]) ?? "").split("~").slice(-maxAttempts)

/** Adds a cookie with these identifiers to a response. Removes the cookie if the list is empty. */
export const withAttemptCookie = (
  proxySettings: ReverseProxySettings["Service"],
  request: Request,
  attemptIds: ReadonlyArray<string>,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setCookieUnsafe(
    response,
    cookieNameFor(proxySettings, request),
    attemptIds.slice(-maxAttempts).join("~"),
    {
      path: "/",
      maxAge: attemptIds.length === 0 ? 0 : attemptLifetimeMs,
      httpOnly: true,
      // The provider's site redirects back to this service. Browsers would omit a stricter cookie then.
      sameSite: "lax",
      secure: isSecure(proxySettings, request)
    }
  )
