import { AdminAuthorization, type AnyRequest, Caller, InvalidAdminToken, KeyAuthorization } from "@tapeline/api"
import { Authenticator, type Principal, RequestCeiling, type WindowVerdict } from "@tapeline/core"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import { currentExchange } from "./exchange.ts"
import type { RefusalBy } from "./operation.ts"
import { respond } from "./refusal.ts"

const noStore = (response: HttpServerResponse.HttpServerResponse) =>
  response.headers["cache-control"] === undefined
    ? HttpServerResponse.setHeader(response, "cache-control", "no-store")
    : response

/** Who was let in, and how the account's minute stands. */
interface Admitted {
  readonly principal: Principal
  readonly window: WindowVerdict & { readonly limit: number }
}

/**
 * Lets in who shows a valid key, within the plan's requests per minute, and says in the headers how the minute stands.
 */
export const layerKeyAuthorization: Layer.Layer<KeyAuthorization, never, Authenticator | RequestCeiling> = Layer.effect(
  KeyAuthorization,
  Effect.gen(function*() {
    const authenticator = yield* Authenticator
    const ceiling = yield* RequestCeiling
    const admit = (key: string): Effect.Effect<Admitted, RefusalBy<KeyAuthorization | AnyRequest>> =>
      Effect.flatMap(
        authenticator.authenticate(key),
        (principal) => Effect.map(ceiling.admit(principal), (window) => ({ principal, window }))
      )
    return KeyAuthorization.of({
      key: (handler, { credential }) =>
        respond(
          Effect.flatMap(admit(Redacted.value(credential)), ({ principal, window }) =>
            Effect.flatMap(currentExchange, ({ language }) =>
              Effect.map(respond(Effect.provideService(handler, Caller, { principal, language })), (response) =>
                HttpServerResponse.setHeaders(response, {
                  "cache-control": response.headers["cache-control"] ?? "no-store",
                  "ratelimit-limit": String(window.limit),
                  "ratelimit-remaining": String(window.remaining),
                  "ratelimit-reset": String(Math.ceil(window.resetMs / 1000))
                }))))
        )
    })
  })
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
