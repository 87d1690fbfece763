import type { Language, Principal } from "@tapeline/core"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { refusedWith } from "./problem.ts"

/** Who makes the request, as its key told. */
export class Caller extends Context.Service<Caller, {
  readonly principal: Principal
  readonly language: Language
}>()("@tapeline/api/Caller") {}

// Tools that read the document compare the scheme as it is written, and the registered name is in lower case.
const bearer = HttpApiSecurity.http({ scheme: "bearer" })
const key = HttpApiSecurity.annotate(bearer, OpenApi.Description, "An account's key: `tl_live_...`")
const admin = HttpApiSecurity.annotate(bearer, OpenApi.Description, "The administration's own token")

/** The caller's key: `Authorization: Bearer tl_live_...`. Counts the request against the plan's ceiling. */
export class KeyAuthorization extends HttpApiMiddleware.Service<KeyAuthorization, { provides: Caller }>()(
  "@tapeline/api/KeyAuthorization",
  {
    requiredForClient: true,
    security: { key },
    error: refusedWith("invalid_key", "rate_limited")
  }
) {}

/** The administration's token: never a caller's key. */
export class AdminAuthorization extends HttpApiMiddleware.Service<AdminAuthorization>()(
  "@tapeline/api/AdminAuthorization",
  {
    requiredForClient: true,
    security: { admin },
    error: refusedWith("invalid_key")
  }
) {}
