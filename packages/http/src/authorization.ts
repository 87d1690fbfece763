import {
  AdminAuthorization,
  Caller,
  InvalidAdminToken,
  KeyAuthorization,
  SessionAuthorization,
  SignedInCaller
} from "@tapeline/api"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import { sessionCeiling } from "./callers/AccountBounds.ts"
import { WhoCalls } from "./callers/WhoCalls.ts"
import { currentExchange, loggedCaller } from "./exchange.ts"
import type { RefusalBy } from "./operation.ts"
import { respond } from "./refusal.ts"

const noStore = (response: HttpServerResponse.HttpServerResponse) =>
  response.headers["cache-control"] === undefined
    ? HttpServerResponse.setHeader(response, "cache-control", "no-store")
    : response

const currentRequest = Effect.all([HttpServerRequest.HttpServerRequest, currentExchange])

/** Authenticates the caller of operations that require a key or a session. */
export const layerKeyAuthorization: Layer.Layer<KeyAuthorization, never, WhoCalls> = Layer.effect(
  KeyAuthorization,
  Effect.map(WhoCalls, ({ admit }) => {
    const letIn: typeof KeyAuthorization["Service"]["key"] = (handler) =>
      respond(
        Effect.flatMap(currentRequest, ([request, exchange]) =>
          Effect.flatMap(admit(request, exchange), (principal) =>
            handler.pipe(
              Effect.provideService(Caller, { principal, language: exchange.language }),
              Effect.annotateLogs(loggedCaller(principal))
            )))
      )
    // The platform uses the result of the first of the two.
    return KeyAuthorization.of({ key: letIn, session: letIn })
  })
)

/** Authenticates the signed-in user of operations that only sessions can call. */
export const layerSessionAuthorization: Layer.Layer<SessionAuthorization, never, WhoCalls> = Layer.effect(
  SessionAuthorization,
  Effect.map(Effect.all([WhoCalls, sessionCeiling]), ([{ session }, admit]) =>
    SessionAuthorization.of({
      session: (handler) =>
        respond(
          Effect.flatMap(currentRequest, ([request, exchange]) =>
            Effect.flatMap(session(request, exchange), ({ id, principal }) =>
              Effect.andThen(
                admit(id),
                Effect.provideService(handler, SignedInCaller, { account: principal.account, session: id })
              ).pipe(respond, Effect.annotateLogs(loggedCaller(principal)), Effect.map(noStore))))
        )
    }))
)

/** The admin token. */
export class AdminToken extends Context.Service<AdminToken, Redacted.Redacted<string>>()("@tapeline/http/AdminToken") {}

const digest = (text: string) => createHash("sha256").update(text).digest()

/** Compares digests in constant time, so that the duration reveals nothing. An empty text never matches. */
const sameSecret = (shown: string, secret: string): boolean =>
  shown !== "" && secret !== "" && timingSafeEqual(digest(shown), digest(secret))

/** Admits requests with the admin token. */
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
