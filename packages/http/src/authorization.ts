import {
  AdminAuthorization,
  AdminCaller,
  Caller,
  type CommonErrors,
  InvalidAdminToken,
  KeyAuthorization,
  RequiredAdminScope,
  SessionAuthorization,
  SignedInCaller,
  TooManyAttempts
} from "@tapeline/api"
import { type AdminScope, AdminScopeRequired, AdminTokens, allAdminScopes, CurrentAdminActor } from "@tapeline/core"
import { Clock, Context, Effect, Layer, Metric, Option, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import { AttemptLimiter, AttemptLimits, makeSessionRateLimiter } from "./callers/callerLimits.ts"
import { clientAddress, exactClientAddress } from "./callers/clientAddress.ts"
import { RequestAuthenticator } from "./callers/RequestAuthenticator.ts"
import { ReverseProxySettings } from "./callers/ReverseProxySettings.ts"
import { failedAdminAttempts } from "./metrics.ts"
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
              Effect.flatMap(authenticateSession(request, requestContext), ({ ageMs, id, principal }) =>
                Effect.andThen(
                  admitSession(id),
                  Effect.provideService(handler, SignedInCaller, { account: principal.account, session: id, ageMs })
                ).pipe(
                  Effect.provideService(CurrentAdminActor, {
                    actor: `session ${id}`,
                    requestId: requestContext.requestId,
                    address: exactClientAddress(proxySettings, request)
                  }),
                  catchToResponse,
                  Effect.annotateLogs(callerLogFields(principal)),
                  Effect.map(withNoStore)
                )))
          )
      })
  )
)

/**
 * The admin token of the configuration, which has all scopes and needs no database; null if the token is switched off.
 */
export class AdminToken
  extends Context.Service<AdminToken, Redacted.Redacted<string> | null>()("@tapeline/http/AdminToken")
{}

const sha256Digest = (text: string) => createHash("sha256").update(text).digest()

/** Returns whether two secrets are equal and not empty, in constant time. */
const isSameSecret = (presented: string, secret: string): boolean =>
  presented !== "" && secret !== "" && timingSafeEqual(sha256Digest(presented), sha256Digest(secret))

/** An admin token that a request contains: the actor of events, and the token's scopes. */
interface AdminCredential {
  readonly actor: string
  readonly scopes: ReadonlyArray<AdminScope>
}

/** Creates a function that finds the valid admin token with the given text, or returns null. */
const makeFindCredential = Effect.gen(function*() {
  const [configured, tokens] = yield* Effect.all([AdminToken, AdminTokens])
  const secret = configured === null ? "" : Redacted.value(configured)
  const configuredCredential: AdminCredential = { actor: "admin", scopes: allAdminScopes }
  return (text: string, scope: AdminScope): Effect.Effect<AdminCredential | null, MiddlewareRejection<CommonErrors>> =>
    isSameSecret(text, secret)
      ? Effect.succeed(configuredCredential)
      : Effect.map(
        tokens.use(text, scope),
        (token) => token === null ? null : { actor: `admin:${token.name}`, scopes: token.scopes }
      )
})

/**
 * Authenticates admin tokens, and checks that a token has the scope of the endpoint. Only wrong tokens count as failed
 * attempts, so a valid token works after any number of failures.
 */
export const layerAdminAuthorization: Layer.Layer<AdminAuthorization, never, AdminToken | AdminTokens> = Layer.effect(
  AdminAuthorization,
  Effect.gen(function*() {
    const findCredential = yield* makeFindCredential
    const attemptLimiter = new AttemptLimiter(yield* AttemptLimits)
    yield* Metric.value(failedAdminAttempts)
    const proxySettings = Option.getOrElse(
      yield* Effect.serviceOption(ReverseProxySettings),
      () => ({ publicUrl: undefined, trustedProxies: 0 })
    )

    const rejectAttempt = Effect.fnUntraced(function*(address: string) {
      yield* Metric.update(failedAdminAttempts, 1)
      const decision = attemptLimiter.countAttempt(address, yield* Clock.monotonicTimeNanos)
      return yield* "retryAfterMs" in decision
        ? new TooManyAttempts({ retryAfterMs: decision.retryAfterMs })
        : new InvalidAdminToken()
    })

    const admit = Effect.fnUntraced(function*(text: string, address: string, scope: AdminScope) {
      if (text === "") return yield* new InvalidAdminToken()
      const credential = yield* findCredential(text, scope)
      if (credential === null) return yield* rejectAttempt(address)
      if (!credential.scopes.includes(scope)) return yield* new AdminScopeRequired({ required_scope: scope })
      return credential
    })

    return AdminAuthorization.of({
      admin: (handler, { credential, endpoint }) =>
        catchToResponse(Effect.gen(function*() {
          const [request, { requestId }] = yield* currentRequestAndContext
          const address = clientAddress(proxySettings, request)
          // Throws for an endpoint without a scope, so that nobody can call such an endpoint.
          const scope = Context.getUnsafe(endpoint.annotations, RequiredAdminScope)
          const { actor, scopes } = yield* admit(Redacted.value(credential), address, scope)
          return yield* handler.pipe(
            Effect.provideService(CurrentAdminActor, {
              actor,
              requestId,
              address: exactClientAddress(proxySettings, request)
            }),
            Effect.provideService(AdminCaller, { scopes }),
            catchToResponse,
            Effect.map(withNoStore)
          )
        }))
    })
  })
)
