import { attemptLifeMs } from "@tapeline/core"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import { type Approach, isSecure } from "./Approach.ts"
import { cookieNamed } from "./cookies.ts"

type Request = HttpServerRequest.HttpServerRequest

/** As a session's own cookie is called. */
const name = { host: "__Host-tapeline_openid", local: "tapeline_openid" } as const

/** So many tabs may be on their way to the provider at once; the oldest gives way. */
const most = 4

const nameFor = (approach: Approach["Service"], request: Request): string =>
  isSecure(approach, request) ? name.host : name.local

/** What sign-ins that this browser began are known by. */
export const attemptsShown = (approach: Approach["Service"], request: Request): ReadonlyArray<string> =>
  (cookieNamed(nameFor(approach, request), request.headers["cookie"]) ?? "").split("~").slice(-most)

/** An answer with which the browser keeps these, or nothing where there are none. */
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
    // The provider's site leads back here: a stricter cookie would not come along.
    sameSite: "lax",
    secure: isSecure(approach, request)
  })
