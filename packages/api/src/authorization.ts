import type { Language, Principal } from "@tapeline/core"
import type { AdminScope } from "@tapeline/core/engine"
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
  /** The time in ms since the user signed in. */
  readonly ageMs: number
}>()("@tapeline/api/SignedInCaller") {}

/** The scopes of the admin token of a request. */
export class AdminCaller extends Context.Service<AdminCaller, {
  readonly scopes: ReadonlyArray<AdminScope>
}>()("@tapeline/api/AdminCaller") {}

/** The scope that an admin token needs for an endpoint, as an annotation of the endpoint. */
export class RequiredAdminScope
  extends Context.Service<RequiredAdminScope, AdminScope>()("@tapeline/api/RequiredAdminScope")
{}

/** Returns the annotations of an admin endpoint: its documentation, and the scope that it requires. */
export const adminOperation = (
  scope: AdminScope,
  documentation: { readonly identifier: string; readonly summary: string; readonly description: string }
) =>
  Context.add(
    OpenApi.annotations({ ...documentation, transform: (operation) => ({ ...operation, "x-admin-scope": scope }) }),
    RequiredAdminScope,
    scope
  )

/**
 * The names of the session cookie. `name` is the cookie's name over HTTPS, and `local` is the cookie's name over plain
 * HTTP on the local machine.
 */
export const sessionCookie = { name: "__Host-tapeline_session", local: "tapeline_session" } as const

/** The header that console pages send with each session request, and that HTML forms of other sites cannot send. */
export const consoleHeader = "x-tapeline-console"

/**
 * The header with the account id that a page shows; the service rejects a request from a session of another account.
 */
export const accountHeader = "x-tapeline-account"

/** The header that marks requests made while the user is absent, so that the requests do not extend the session. */
export const unattendedHeader = "x-tapeline-unattended"

// The scheme `bearer` is in lower case, as registered, because tools that read OpenAPI documents compare the scheme
// literally.
const bearer = HttpApiSecurity.http({ scheme: "bearer" })
const key = HttpApiSecurity.annotate(bearer, OpenApi.Description, "An account's key: `tl_live_...`")
const admin = HttpApiSecurity.annotate(
  bearer,
  OpenApi.Description,
  "An admin token: `tl_admin_...`, or the token of the server's configuration"
)
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
 * Requires an API key, or a browser session if no key is sent, and counts each request against the plan's rate limit.
 */
export class KeyAuthorization extends HttpApiMiddleware.Service<KeyAuthorization, { provides: Caller }>()(
  "@tapeline/api/KeyAuthorization",
  {
    requiredForClient: true,
    security: { key, session },
    error: problemSchemas(
      "invalid_key",
      "session_required",
      "account_suspended",
      "address_not_allowed",
      "cross_site",
      "other_account",
      "rate_limited"
    )
  }
) {}

/** Requires a browser session and rejects API keys, so that a key cannot manage other keys. */
export class SessionAuthorization
  extends HttpApiMiddleware.Service<SessionAuthorization, { provides: SignedInCaller }>()(
    "@tapeline/api/SessionAuthorization",
    {
      security: { session },
      error: problemSchemas("session_required", "account_suspended", "cross_site", "other_account", "rate_limited")
    }
  )
{}

/** Requires an admin token with the `RequiredAdminScope` of the endpoint, and never accepts a caller's API key. */
export class AdminAuthorization extends HttpApiMiddleware.Service<AdminAuthorization, { provides: AdminCaller }>()(
  "@tapeline/api/AdminAuthorization",
  {
    requiredForClient: true,
    security: { admin },
    error: problemSchemas("invalid_key", "admin_scope_required", "too_many_attempts")
  }
) {}
