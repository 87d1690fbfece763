import {
  AdminAuthorization,
  Caller,
  InvalidAdminToken,
  KeyAuthorization,
  SessionAuthorization,
  SignedInCaller
} from "@tapeline/api"
import { CurrentAdminActor } from "@tapeline/core"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import { makeSessionRateLimiter } from "./callers/callerLimits.ts"
import { clientAddress } from "./callers/clientAddress.ts"
import { RequestAuthenticator } from "./callers/RequestAuthenticator.ts"
import { ReverseProxySettings } from "./callers/ReverseProxySettings.ts"
import { callerLogFields, currentRequestContext } from "./requestContext.ts"
import { catchToResponse, type MiddlewareRejection } from "./responses.ts"

const withNoStore = (response: HttpServerResponse.HttpServerResponse) =>
  response.headers["cache-control"] === undefined
    ? HttpServerResponse.setHeader(response, "cache-control", "no-store")
    : response

const currentRequestAndContext = Effect.all([HttpServerRequest.HttpServerRequest, currentRequestContext])

/** Authenticates the caller of operations that require an API key or a session. */
export const layerKeyAuthorization: Layer.Layer<KeyAuthorization, never, RequestAuthenticator> = Layer.effect(
  KeyAuthorization,
  Effect.map(RequestAuthenticator, ({ admit }) => {
    const authorize: typeof KeyAuthorization["Service"]["key"] = (handler) =>
      catchToResponse(
        Effect.flatMap(currentRequestAndContext, ([request, requestContext]) =>
          Effect.flatMap(admit(request, requestContext), (principal) =>
            handler.pipe(
              Effect.provideService(Caller, { principal, language: requestContext.language }),
              Effect.annotateLogs(callerLogFields(principal))
            )))
      )
    // The platform uses the result of `key` or of `session`, whichever succeeds first.
    return KeyAuthorization.of({ key: authorize, session: authorize })
  })
)

/** Authenticates the signed-in user of operations that only sessions can call. */
export const layerSessionAuthorization: Layer.Layer<
  SessionAuthorization,
  never,
  RequestAuthenticator | ReverseProxySettings
> = Layer.effect(
  SessionAuthorization,
  Effect.map(
    Effect.all([RequestAuthenticator, makeSessionRateLimiter, ReverseProxySettings]),
    ([{ authenticateSession }, admitSession, proxySettings]) =>
      SessionAuthorization.of({
        session: (handler) =>
          catchToResponse(
            Effect.flatMap(currentRequestAndContext, ([request, requestContext]) =>
              Effect.flatMap(authenticateSession(request, requestContext), ({ id, principal }) =>
                Effect.andThen(
                  admitSession(id),
                  Effect.provideService(handler, SignedInCaller, { account: principal.account, session: id })
                ).pipe(
                  Effect.provideService(CurrentAdminActor, {
                    actor: `session ${id}`,
                    requestId: requestContext.requestId,
                    address: clientAddress(proxySettings, request)
                  }),
                  catchToResponse, Effect.annotateLogs(callerLogFields(principal)), Effect.map(withNoStore))))
          )
      })
  )
)

export class AdminToken extends Context.Service<AdminToken, Redacted.Redacted<string>>()("@tapeline/http/AdminToken") {}

const sha256Digest = (text: string) => createHash("sha256").update(text).digest()

/** Returns whether two secrets are equal and not empty, in constant time. */
const isSameSecret = (presented: string, secret: string): boolean =>
  presented !== "" && secret !== "" && timingSafeEqual(sha256Digest(presented), sha256Digest(secret))

export const layerAdminAuthorization: Layer.Layer<AdminAuthorization, never, AdminToken> = Layer.effect(
  AdminAuthorization,
  Effect.gen(function*() {
    const token = Redacted.value(yield* AdminToken)
    const proxySettings = Option.getOrElse(
      yield* Effect.serviceOption(ReverseProxySettings),
      () => ({ publicUrl: undefined, trustedProxies: 0 })
    )
    const actorOf = (actor: string) =>
      Effect.map(currentRequestAndContext, ([request, { requestId }]) => ({
        actor,
        requestId,
        address: clientAddress(proxySettings, request)
      }))
    const admit = (presented: string): Effect.Effect<void, MiddlewareRejection<AdminAuthorization>> =>
      isSameSecret(presented, token) ? Effect.void : Effect.fail(new InvalidAdminToken())
    return AdminAuthorization.of({
      admin: (handler, { credential }) =>
        catchToResponse(
          Effect.andThen(
            admit(Redacted.value(credential)),
            Effect.flatMap(actorOf("admin"), (actor) =>
              Effect.map(
                catchToResponse(Effect.provideService(handler, CurrentAdminActor, actor)),
                withNoStore
              ))
          )
        )
    })
  })
)
