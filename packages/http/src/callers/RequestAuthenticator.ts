import {
  accountHeader,
  type CommonErrors,
  CrossSite,
  KeyAuthorization,
  OtherAccount,
  type SessionAuthorization,
  unattendedHeader
} from "@tapeline/api"
import {
  type AccountSuspended,
  type AddressNotAllowed,
  Authenticator,
  InvalidKey,
  InvalidSession,
  type OpenSession,
  type Principal,
  RequestRateLimiter,
  type Scope,
  Sessions,
  type StoreUnavailable
} from "@tapeline/core"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { RequestContext } from "../requestContext.ts"
import type { MiddlewareRejection } from "../responses.ts"
import { permissionCheckMs } from "../streaming/SocketReader.ts"
import { makeSessionRateLimiter } from "./callerLimits.ts"
import { exactClientAddress } from "./clientAddress.ts"
import { SessionCookies } from "./cookies.ts"
import { isCrossOrigin, isCrossSiteEmbed, ReverseProxySettings } from "./ReverseProxySettings.ts"

type Request = HttpServerRequest.HttpServerRequest

const authorizationScheme = `${KeyAuthorization.security.key.scheme.toLowerCase()} `

/**
 * Returns the API key in an `Authorization` header, whose scheme is not case-sensitive (RFC 9110, 11.1), or an empty
 * text without an API key.
 */
const readBearerKey = (authorization: string | undefined): string =>
  authorization !== undefined &&
    authorization.slice(0, authorizationScheme.length).toLowerCase() === authorizationScheme
    ? authorization.slice(authorizationScheme.length).replace(/^ +/, "")
    : ""

/** The maximum time for which a response waits for a renewed session token. */
const renewalTimeout = "1 second"

const isReadRequest = ({ method }: Request): boolean => method === "GET" || method === "HEAD"

/**
 * Authenticates the API key or session of a request again. Returns null for a session, because the scopes of a session
 * never change.
 */
type Reauthenticate = (
  request: Request
) => Effect.Effect<
  Principal | null,
  InvalidKey | AddressNotAllowed | InvalidSession | AccountSuspended | StoreUnavailable
>

const makeReauthenticate = (
  authenticateKey: (request: Request) => ReturnType<Authenticator["Service"]["authenticate"]>,
  sessions: Sessions["Service"] | undefined,
  readSessionToken: (request: Request) => string | undefined
): Reauthenticate =>
(request) => {
  const token = readSessionToken(request)
  if (token !== undefined && sessions !== undefined) {
    return Effect.flatMap(
      sessions.isActive(token),
      (isActive) => isActive ? Effect.succeed(null) : Effect.fail(new InvalidSession())
    )
  }
  return authenticateKey(request)
}

const makeAdmissionRecorder =
  (reauthenticate: Reauthenticate) => (request: Request, requestContext: RequestContext, principal: Principal) =>
    Effect.map(Clock.monotonicTimeNanos, (atNs) => {
      const reauthenticated = Effect.map(
        Effect.suspend(() => reauthenticate(request)),
        (current) => current ?? principal
      )
      requestContext.admission = { atNs, principal, reauthenticate: reauthenticated }
      return principal
    })

const makeLongRequestChecks = (
  reauthenticate: Reauthenticate
): Pick<RequestAuthenticator["Service"], "isStillAuthorized" | "whileAuthorized"> => {
  const checkScopes = (request: Request, scopes: ReadonlyArray<Scope>) =>
    Effect.flatMap(
      reauthenticate(request),
      (current) =>
        current === null || scopes.every((scope) => current.scopes.includes(scope))
          ? Effect.void
          : Effect.fail(new InvalidKey())
    )
  return {
    isStillAuthorized: (request, scopes) =>
      Effect.match(checkScopes(request, scopes), {
        onFailure: ({ _tag }) => _tag === "StoreUnavailable",
        onSuccess: () => true
      }),
    whileAuthorized: (request, scopes, effect) => {
      const check = Effect.catchTag(checkScopes(request, scopes), "StoreUnavailable", () => Effect.void)
      const revoked = Effect.forever(Effect.delay(check, permissionCheckMs))
      return Effect.raceFirst(Effect.tap(effect, () => check), revoked)
    }
  }
}

/**
 * Identifies the caller of a request by the API key or, without an `Authorization` header, by the browser's session.
 */
export class RequestAuthenticator extends Context.Service<RequestAuthenticator, {
  /**
   * Admits a request within the rate limit of the account's plan. Read requests of a session have a separate rate
   * limit, because pages read data that the user did not request.
   */
  readonly admit: (
    request: Request,
    requestContext: RequestContext
  ) => Effect.Effect<Principal, MiddlewareRejection<KeyAuthorization | CommonErrors>>
  /** Admits a request by its API key within the rate limit of the plan, and ignores cookies. */
  readonly admitKey: (
    request: Request,
    requestContext: RequestContext
  ) => Effect.Effect<Principal, MiddlewareRejection<KeyAuthorization | CommonErrors>>
  /** Authenticates the session of a signed-in user, without counting the request and without accepting API keys. */
  readonly authenticateSession: (
    request: Request,
    requestContext: RequestContext
  ) => Effect.Effect<OpenSession, MiddlewareRejection<SessionAuthorization | CommonErrors>>
  /**
   * Returns whether the API key or session of a request is still valid and has all `scopes`. Returns true while the
   * store is unavailable.
   */
  readonly isStillAuthorized: (request: Request, scopes: ReadonlyArray<Scope>) => Effect.Effect<boolean>
  /**
   * Runs a long effect, and fails as soon as the API key or session of the request is invalid or has lost one of
   * `scopes`.
   */
  readonly whileAuthorized: <A, E, R>(
    request: Request,
    scopes: ReadonlyArray<Scope>,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | InvalidKey | AddressNotAllowed | InvalidSession | AccountSuspended, R>
}>()("@tapeline/http/RequestAuthenticator") {
  static readonly layer: Layer.Layer<
    RequestAuthenticator,
    never,
    ReverseProxySettings | Authenticator | RequestRateLimiter | SessionCookies
  > = Layer.effect(
    RequestAuthenticator,
    Effect.gen(function*() {
      const [proxySettings, authenticator, rateLimiter, cookies, admitRead] = yield* Effect.all([
        ReverseProxySettings,
        Authenticator,
        RequestRateLimiter,
        SessionCookies,
        makeSessionRateLimiter
      ])
      const sessions = Option.getOrUndefined(yield* Effect.serviceOption(Sessions))

      const readSessionToken = (request: Request): string | undefined =>
        sessions === undefined || request.headers["authorization"] !== undefined
          ? undefined
          : cookies.readToken(request)

      /** Renews a stale session token. If renewing the token takes too long, leaves the renewal to a later request. */
      const renewToken = (
        sessionStore: Sessions["Service"],
        token: string,
        request: Request,
        requestContext: RequestContext
      ) =>
        Effect.match(Effect.timeout(sessionStore.renew(token), renewalTimeout), {
          onFailure: () => undefined,
          onSuccess: (newToken) => newToken === null ? undefined : cookies.setToken(request, requestContext, newToken)
        })

      const openSession = Effect.fnUntraced(function*(token: string, request: Request, requestContext: RequestContext) {
        if (sessions === undefined) return yield* new InvalidSession()
        const isFromOtherSite = isReadRequest(request)
          ? isCrossSiteEmbed(proxySettings, request)
          : isCrossOrigin(proxySettings, request)
        if (isFromOtherSite) return yield* new CrossSite()
        const usedBy = request.headers[unattendedHeader] === "true" ? "clock" : "person"
        const session = yield* sessions.authenticate(token, usedBy)
        const expectedAccount = request.headers[accountHeader]
        if (expectedAccount !== undefined && expectedAccount !== String(session.principal.account)) {
          return yield* new OtherAccount()
        }
        if (session.isStale && usedBy === "person") {
          requestContext.tokenRenewal = renewToken(sessions, token, request, requestContext)
        }
        return session
      })

      const authenticateKey = (request: Request) =>
        authenticator.authenticate(
          readBearerKey(request.headers["authorization"]),
          exactClientAddress(proxySettings, request)
        )
      const reauthenticate = makeReauthenticate(authenticateKey, sessions, readSessionToken)
      const recordAdmission = makeAdmissionRecorder(reauthenticate)

      const admitByKey = Effect.fnUntraced(function*(request: Request, requestContext: RequestContext) {
        const principal = yield* authenticateKey(request)
        requestContext.rateLimit = yield* rateLimiter.admit(principal)
        return yield* recordAdmission(request, requestContext, principal)
      })

      const admitBySession = Effect.fnUntraced(
        function*(token: string, request: Request, requestContext: RequestContext) {
          const { id, principal } = yield* openSession(token, request, requestContext)
          requestContext.rateLimit = yield* isReadRequest(request) ? admitRead(id) : rateLimiter.admit(principal)
          return yield* recordAdmission(request, requestContext, principal)
        }
      )

      return RequestAuthenticator.of({
        admitKey: admitByKey,
        admit: (request, requestContext) => {
          const token = readSessionToken(request)
          return token === undefined
            ? admitByKey(request, requestContext)
            : admitBySession(token, request, requestContext)
        },
        authenticateSession: (request, requestContext) => {
          const token = readSessionToken(request)
          return token === undefined ? Effect.fail(new InvalidSession()) : openSession(token, request, requestContext)
        },
        ...makeLongRequestChecks(reauthenticate)
      })
    })
  )
}
