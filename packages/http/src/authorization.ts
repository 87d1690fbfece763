import { AdminAuthorization, Caller, KeyAuthorization } from "@tapeline/api"
import { Authenticator, RequestCeiling } from "@tapeline/core"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentExchange, currentExchange } from "./exchange.ts"
import { problemResponse } from "./problem.ts"
import { respond } from "./refusal.ts"

const noStore = (response: HttpServerResponse.HttpServerResponse) =>
  response.headers["cache-control"] === undefined
    ? HttpServerResponse.setHeader(response, "cache-control", "no-store")
    : response

/** Lets in who shows a valid key, within the plan's requests per minute, and says in the headers how the minute stands. */
export const layerKeyAuthorization: Layer.Layer<KeyAuthorization, never, Authenticator | RequestCeiling> = Layer.effect(
  KeyAuthorization,
  Effect.gen(function*() {
    const authenticator = yield* Authenticator
    const ceiling = yield* RequestCeiling
    const admit = Effect.fnUntraced(function*(key: string) {
      const principal = yield* authenticator.authenticate(key)
      return { principal, window: yield* ceiling.admit(principal) }
    })
    return KeyAuthorization.of({
      key: (handler, { credential }) =>
        respond(
          Effect.flatMap(admit(Redacted.value(credential)), ({ principal, window }) =>
            Effect.contextWith((context: Context.Context<never>) => {
              const { language } = Context.get(context, CurrentExchange)
              return Effect.map(respond(Effect.provideService(handler, Caller, { principal, language })), (response) =>
                HttpServerResponse.setHeaders(response, {
                  "cache-control": response.headers["cache-control"] ?? "no-store",
                  "ratelimit-limit": String(window.limit),
                  "ratelimit-remaining": String(window.remaining),
                  "ratelimit-reset": String(Math.ceil(window.resetMs / 1000))
                }))
            }))
        )
    })
  })
)

/** The administration's token. */
export class AdminToken extends Context.Service<AdminToken, Redacted.Redacted<string>>()("@tapeline/http/AdminToken") {}

const digest = (text: string) => Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))

/** Compares digests, so that the time taken tells nothing of how much of the token was right. */
const sameText = Effect.fnUntraced(function*(a: string, b: string) {
  const [left, right] = yield* Effect.all([digest(a), digest(b)])
  const ours = new Uint8Array(left)
  const theirs = new Uint8Array(right)
  return ours.reduce((difference, byte, i) => difference | (byte ^ theirs[i]!), 0) === 0
})

/** Lets in who shows the administration's token. */
export const layerAdminAuthorization: Layer.Layer<AdminAuthorization, never, AdminToken> = Layer.effect(
  AdminAuthorization,
  Effect.gen(function*() {
    const token = Redacted.value(yield* AdminToken)
    return AdminAuthorization.of({
      admin: (handler, { credential }) =>
        respond(Effect.gen(function*() {
          if (!(yield* sameText(Redacted.value(credential), token))) {
            return problemResponse(yield* currentExchange, {
              code: "invalid_key",
              detail: { key: "invalid_admin_token" },
              headers: { "www-authenticate": "Bearer" }
            })
          }
          return noStore(yield* respond(handler))
        }))
    })
  })
)
