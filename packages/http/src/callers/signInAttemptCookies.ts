import { attemptLifetimeMs } from "@tapeline/core"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import { uniqueCookie } from "./cookies.ts"
import { isSecure, type ReverseProxySettings } from "./ReverseProxySettings.ts"

type Request = HttpServerRequest.HttpServerRequest

const cookieNames = { host: "__Host-tapeline_openid", local: "tapeline_openid" } as const

/**
 * The maximum number of browser tabs that can sign in with the OpenID provider at the same time. A further tab replaces
 * the oldest sign-in attempt.
 */
const maxAttempts = 4

const cookieNameFor = (proxySettings: ReverseProxySettings["Service"], request: Request): string =>
  isSecure(proxySettings, request) ? cookieNames.host : cookieNames.local

export const readAttemptIds = (
  proxySettings: ReverseProxySettings["Service"],
  request: Request
): ReadonlyArray<string> =>
  (uniqueCookie(cookieNameFor(proxySettings, request), request.headers["cookie"]) ?? "").split("~").slice(-maxAttempts)

/**
 * Returns the id with which the cookie marks a completed attempt. The callback rejects a repeated response of a
 * completed attempt.
 */
export const completedIdOf = (state: string): string => `used.${state}`

export const isCompletedId = (id: string): boolean => /^used\.[0-9a-f]{64}$/.test(id)

/**
 * Adds the cookie with the ids of sign-in attempts to a response. If the response has too many ids, the cookie contains
 * only the last ids.
 */
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
      maxAge: attemptLifetimeMs,
      httpOnly: true,
      // After sign-in, the provider's site redirects back to the service. Browsers would then omit a stricter cookie.
      sameSite: "lax",
      secure: isSecure(proxySettings, request)
    }
  )
