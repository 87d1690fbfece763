import { AdminAuthorization, type AnyRequest, Caller, InvalidAdminToken, KeyAuthorization } from "@tapeline/api"
import { Authenticator, grants, type Principal, RequestCeiling, type ScopesAny } from "@tapeline/core"
import { Context, Effect, Layer, Redacted } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import { currentExchange, type Exchange } from "./exchange.ts"
import type { RefusalBy } from "./operation.ts"
import { respond } from "./refusal.ts"

const noStore = (response: HttpServerResponse.HttpServerResponse) =>
  response.headers["cache-control"] === undefined
    ? HttpServerResponse.setHeader(response, "cache-control", "no-store")
    : response

const scheme = `${KeyAuthorization.security.key.scheme.toLowerCase()} `

/** The key that a request shows; the scheme is in either case (RFC 9110, 11.1). None is no key at all. */
export const keyShown = (authorization: string | undefined): string =>
  authorization !== undefined && authorization.slice(0, scheme.length).toLowerCase() === scheme
    ? authorization.slice(scheme.length).replace(/^ +/, "")
    : ""

/**
 * Whether the key that a request was let in by would still open what it opened then, for what lasts longer than its
 * admission. A store that is away takes nothing from anybody. It keeps the key, and nothing of the request.
 */
export const stillOpens = (
  authenticator: Authenticator["Service"],
  { headers }: HttpServerRequest.HttpServerRequest,
  scopes: ScopesAny
): Effect.Effect<boolean> => {
  const key = keyShown(headers["authorization"])
  return Effect.match(authenticator.authenticate(key), {
    onSuccess: (principal) => grants(principal.scopes, scopes),
    onFailure: (error) => error._tag === "StoreUnavailable"
  })
}

/** Lets in who shows a valid key, within the plan's requests per minute; the exchange is told how the minute stands. */
export type Admit = (
  exchange: Exchange,
  key: string
) => Effect.Effect<Principal, RefusalBy<KeyAuthorization | AnyRequest>>

export const makeAdmit: Effect.Effect<Admit, never, Authenticator | RequestCeiling> = Effect.gen(function*() {
  const authenticator = yield* Authenticator
  const ceiling = yield* RequestCeiling
  return (exchange, key) =>
    Effect.flatMap(authenticator.authenticate(key), (principal) =>
      Effect.map(ceiling.admit(principal), (window) => {
        exchange.window = window
        return principal
      }))
})

/** Who calls, for operations that ask for a caller. */
export const layerKeyAuthorization: Layer.Layer<KeyAuthorization, never, Authenticator | RequestCeiling> = Layer.effect(
  KeyAuthorization,
  Effect.map(makeAdmit, (admit) =>
    KeyAuthorization.of({
      key: (handler, { credential }) =>
        respond(Effect.flatMap(currentExchange, (exchange) =>
          Effect.flatMap(admit(exchange, Redacted.value(credential)), (principal) =>
            Effect.provideService(handler, Caller, { principal, language: exchange.language }))))
    }))
)

/** The administration's token. */
export class AdminToken extends Context.Service<AdminToken, Redacted.Redacted<string>>()("@tapeline/http/AdminToken") {}

const digest = (text: string) => createHash("sha256").update(text).digest()

/** Compares digests in constant time, so that the time taken tells nothing. No text at all is never the same. */
const sameSecret = (shown: string, secret: string): boolean =>
  shown !== "" && secret !== "" && timingSafeEqual(digest(shown), digest(secret))

/** Lets in who shows the administration's token. */
export const layerAdminAuthorization: Layer.Layer<AdminAuthorization, never, AdminToken> = Layer.effect(
  AdminAuthorization,
  Effect.gen(function*() {
    const token = Redacted.value(yield* AdminToken)
    const admit = (shown: string): Effect.Effect<void, RefusalBy<AdminAuthorization>> =>
      sameSecret(shown, token) ? Effect.void : Effect.fail(new InvalidAdminToken())
    return AdminAuthorization.of({
      admin: (handler, { credential }) =>
        respond(Effect.andThen(admit(Redacted.value(credential)), Effect.map(respond(handler), noStore)))
    })
  })
)
