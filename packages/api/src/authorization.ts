import type { Language, Principal } from "@tapeline/core"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { problemSchemas } from "./problem.ts"

/** The caller of a request, authenticated by an account key or a browser session. */
export class Caller extends Context.Service<Caller, {
  readonly principal: Principal
  readonly language: Language
}>()("@tapeline/api/Caller") {}

/** The signed-in user of a request, authenticated by a browser session. */
export class SignedInCaller extends Context.Service<SignedInCaller, {
  readonly account: number
  readonly session: number
}>()("@tapeline/api/SignedInCaller") {}

/** The names of the session cookie: `name` over HTTPS, and `local` over plain HTTP on the local machine. */
export const sessionCookie = { name: "__Host-tapeline_session", local: "tapeline_session" } as const

/**
 * The header that console pages send with each session request. HTML forms of other sites cannot send
 * `x-tapeline-console`.
 */
export const consoleHeader = "x-tapeline-console"

/**
 * The header with the id of the account that a page shows. The service rejects the request if the browser has since
 * signed in to another account.
 */
export const accountHeader = "x-tapeline-account"

/**
 * The header that is `true` on requests made while the user is absent. Requests with the header do not extend the
 * session.
 */
export const unattendedHeader = "x-tapeline-unattended"

// Tools that read the OpenAPI document compare the scheme literally, and the registered name is in lower case.
const bearer = HttpApiSecurity.http({ scheme: "bearer" })
const key = HttpApiSecurity.annotate(bearer, OpenApi.Description, "An account's key: `tl_live_...`")
const admin = HttpApiSecurity.annotate(bearer, OpenApi.Description, "The admin token")
const session = HttpApiSecurity.annotate(
  HttpApiSecurity.apiKey({ in: "cookie", key: sessionCookie.name }),
  OpenApi.Description,
  "The session of a browser whose user is signed in. Over plain HTTP on the local machine, the cookie is named " +
    `\`${sessionCookie.local}\`. ` +
    `Requests other than GET must come from a page of the service, and send \`${consoleHeader}: 1\`. ` +
    `A request with \`${accountHeader}\` is rejected unless the session belongs to the account with that id. ` +
    `A request with \`${unattendedHeader}: true\` does not extend the session`
)

/**
 * Requires the header `Authorization: Bearer tl_live_...`, or a browser session if no key is sent. Counts each request
 * against the plan's rate limit.
 */
export class KeyAuthorization extends HttpApiMiddleware.Service<KeyAuthorization, { provides: Caller }>()(
  "@tapeline/api/KeyAuthorization",
  {
    requiredForClient: true,
    security: { key, session },
    error: problemSchemas("invalid_key", "session_required", "cross_site", "other_account", "rate_limited")
  }
) {}

/**
 * Requires a browser session and rejects keys, so that a key cannot manage other keys. Session requests have a separate
 * rate limit.
 */
export class SessionAuthorization
  extends HttpApiMiddleware.Service<SessionAuthorization, { provides: SignedInCaller }>()(
    "@tapeline/api/SessionAuthorization",
    {
      security: { session },
      error: problemSchemas("session_required", "cross_site", "other_account", "rate_limited")
    }
  )
{}

/** Requires the admin token and never accepts a caller's key. */
export class AdminAuthorization extends HttpApiMiddleware.Service<AdminAuthorization>()(
  "@tapeline/api/AdminAuthorization",
  {
    requiredForClient: true,
    security: { admin },
    error: problemSchemas("invalid_key")
  }
) {}
