import type { Language, Principal } from "@tapeline/core"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { refusedWith } from "./problem.ts"

/** Who makes the request, as its key or its session told. */
export class Caller extends Context.Service<Caller, {
  readonly principal: Principal
  readonly language: Language
}>()("@tapeline/api/Caller") {}

/** Who is signed in, as the browser's session told. */
export class SignedInCaller extends Context.Service<SignedInCaller, {
  readonly account: number
  readonly session: number
}>()("@tapeline/api/SignedInCaller") {}

/** The cookie of a session, and what it is called on this machine alone, by plain HTTP. */
export const sessionCookie = { name: "__Host-tapeline_session", local: "tapeline_session" } as const

/** What pages of the service send with all that a session opens, and no form of another site can. */
export const consoleHeader = "x-tapeline-console"

/** The account that a page shows, by its id: what it asks is asked of no other that its browser signed in to since. */
export const accountHeader = "x-tapeline-account"

/** `true` with what a page asks while nobody is there: no use of its session, which ends as it would. */
export const unattendedHeader = "x-tapeline-unattended"

// Tools that read the document compare the scheme as it is written, and the registered name is in lower case.
const bearer = HttpApiSecurity.http({ scheme: "bearer" })
const key = HttpApiSecurity.annotate(bearer, OpenApi.Description, "An account's key: `tl_live_...`")
const admin = HttpApiSecurity.annotate(bearer, OpenApi.Description, "The administration's own token")
const session = HttpApiSecurity.annotate(
  HttpApiSecurity.apiKey({ in: "cookie", key: sessionCookie.name }),
  OpenApi.Description,
  "The session of a browser whose user signed in; on this machine, by plain HTTP, the cookie is " +
    `\`${sessionCookie.local}\`. ` +
    `Whatever is no GET has to come from a page of the service, with \`${consoleHeader}: 1\`. ` +
    `With \`${accountHeader}\` it opens the account of that id alone. ` +
    `What is asked with \`${unattendedHeader}: true\` opens as much, and keeps it from no end`
)

/**
 * The caller's key, `Authorization: Bearer tl_live_...`, or the session of a browser that shows none. Counts the
 * request against the plan's ceiling.
 */
export class KeyAuthorization extends HttpApiMiddleware.Service<KeyAuthorization, { provides: Caller }>()(
  "@tapeline/api/KeyAuthorization",
  {
    requiredForClient: true,
    security: { key, session },
    error: refusedWith("invalid_key", "session_required", "cross_site", "other_account", "rate_limited")
  }
) {}

/** The session of a browser: never a key, which so opens no other key. Has a number of requests a minute of its own. */
export class SessionAuthorization
  extends HttpApiMiddleware.Service<SessionAuthorization, { provides: SignedInCaller }>()(
    "@tapeline/api/SessionAuthorization",
    {
      security: { session },
      error: refusedWith("session_required", "cross_site", "other_account", "rate_limited")
    }
  )
{}

/** The administration's token: never a caller's key. */
export class AdminAuthorization extends HttpApiMiddleware.Service<AdminAuthorization>()(
  "@tapeline/api/AdminAuthorization",
  {
    requiredForClient: true,
    security: { admin },
    error: refusedWith("invalid_key")
  }
) {}
