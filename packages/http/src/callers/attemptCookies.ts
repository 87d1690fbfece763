import { attemptLifeMs } from "@tapeline/core"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import { type Approach, isSecure } from "./Approach.ts"
import { cookieNamed } from "./cookies.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The names of the cookie, formed like those of the session cookie. */
const name = { host: "__Host-tapeline_openid", local: "tapeline_openid" } as const

/** Maximum number of tabs that can be at the provider at once. A further one replaces the oldest. */
const most = 4

const nameFor = (approach: Approach["Service"], request: Request): string =>
  isSecure(approach, request) ? name.host : name.local

/** The identifiers of sign-ins that this browser started. */
export const attemptsShown = (approach: Approach["Service"], request: Request): ReadonlyArray<string> =>
  (cookieNamed(nameFor(approach, request), request.headers["cookie"]) ?? "").split("~").slice(-most)

/** Adds a cookie with these identifiers to a response. Removes the cookie if the list is empty. */
export const keepingAttempts = (
  approach: Approach["Service"],
  request: Request,
  texts: ReadonlyArray<string>,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setCookieUnsafe(response, nameFor(approach, request), texts.slice(-most).join("~"), {
    path: "/",
    maxAge: texts.length === 0 ? 0 : attemptLifeMs,
    httpOnly: true,
    // The provider's site redirects back to this service. Browsers would omit a stricter cookie then.
    sameSite: "lax",
    secure: isSecure(approach, request)
  })
