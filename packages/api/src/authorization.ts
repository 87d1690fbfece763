import type { Language, Principal } from "@tapeline/core"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"

/** Who makes the request, as its key told. */
export class Caller extends Context.Service<Caller, {
  readonly principal: Principal
  readonly language: Language
}>()("@tapeline/api/Caller") {}

/** The caller's key: `Authorization: Bearer tl_live_...`. Counts the request against the plan's ceiling. */
export class KeyAuthorization extends HttpApiMiddleware.Service<KeyAuthorization, { provides: Caller }>()(
  "@tapeline/api/KeyAuthorization",
  { requiredForClient: true, security: { key: HttpApiSecurity.bearer } }
) {}

/** The administration's token: never a caller's key. */
export class AdminAuthorization extends HttpApiMiddleware.Service<AdminAuthorization>()(
  "@tapeline/api/AdminAuthorization",
  { requiredForClient: true, security: { admin: HttpApiSecurity.bearer } }
) {}
