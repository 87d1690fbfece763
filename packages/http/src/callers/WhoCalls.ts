import {
  accountHeader,
  type AnyRequest,
  CrossSite,
  KeyAuthorization,
  OtherAccount,
  type SessionAuthorization,
  unattendedHeader
} from "@tapeline/api"
import {
  Authenticator,
  InvalidKey,
  InvalidSession,
  type OpenSession,
  type Principal,
  RequestCeiling,
  type Scope,
  Sessions,
  type StoreUnavailable
} from "@tapeline/core"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Exchange } from "../exchange.ts"
import type { RefusalBy } from "../operation.ts"
import { checkMs } from "../streaming/SocketReader.ts"
import { sessionCeiling } from "./AccountBounds.ts"
import { Approach, isEmbedded, isForeign } from "./Approach.ts"
import { SessionCookies } from "./cookies.ts"

type Request = HttpServerRequest.HttpServerRequest

const scheme = `${KeyAuthorization.security.key.scheme.toLowerCase()} `

/**
 * Returns the key in an `Authorization` header, or an empty string without one. The scheme is not case-sensitive (RFC
 * 9110, 11.1).
 */
const keyShown = (authorization: string | undefined): string =>
  authorization !== undefined && authorization.slice(0, scheme.length).toLowerCase() === scheme
    ? authorization.slice(scheme.length).replace(/^ +/, "")
    : ""

/** How long a response waits for a renewed session token. */
const renewWithin = "1 second"

const isReading = ({ method }: Request): boolean => method === "GET" || method === "HEAD"

/**
 * Authenticates the key or session of a request again. Returns the present principal of a key, and null for a session,
 * whose scopes never change. The check stores the text of the key or session, but not the request.
 */
type Recheck = (request: Request) => Effect.Effect<Principal | null, InvalidKey | InvalidSession | StoreUnavailable>

const rechecking = (
  authenticator: Authenticator["Service"],
  sessions: Sessions["Service"] | undefined,
  textShown: (request: Request) => string | undefined
): Recheck =>
(request) => {
  const text = textShown(request)
  const key = keyShown(request.headers["authorization"])
  if (text !== undefined && sessions !== undefined) {
    return Effect.flatMap(
      sessions.goesOn(text),
      (goesOn) => goesOn ? Effect.succeed(null) : Effect.fail(new InvalidSession())
    )
  }
  return authenticator.authenticate(key)
}

/** Records the admission of a caller, and how the caller is checked again. */
const noting = (recheck: Recheck) => (request: Request, exchange: Exchange, principal: Principal) =>
  Effect.map(Clock.monotonicTimeNanos, (at) => {
    const confirm = Effect.map(Effect.suspend(() => recheck(request)), (present) => present ?? principal)
    exchange.admitted = { at, principal, confirm }
    return principal
  })

/** The checks of requests that last longer than their admission. */
const lasting = (recheck: Recheck): Pick<WhoCalls["Service"], "stillOpens" | "whileOpen"> => {
  const confirm = (request: Request, scopes: ReadonlyArray<Scope>) =>
    Effect.flatMap(
      recheck(request),
      (present) =>
        present === null || scopes.every((scope) => present.scopes.includes(scope))
          ? Effect.void
          : Effect.fail(new InvalidKey())
    )
  return {
    stillOpens: (request, scopes) =>
      Effect.match(confirm(request, scopes), {
        onFailure: ({ _tag }) => _tag === "StoreUnavailable",
        onSuccess: () => true
      }),
    whileOpen: (request, scopes, effect) => {
      const check = Effect.catchTag(confirm(request, scopes), "StoreUnavailable", () => Effect.void)
      const closed = Effect.forever(Effect.delay(check, checkMs))
      return Effect.raceFirst(Effect.tap(effect, () => check), closed)
    }
  }
}

/**
 * Identifies the caller: by the key in a request, or, if the request has no `Authorization` header, by the browser's
 * session. Without the `Sessions` service there are no sessions.
 */
export class WhoCalls extends Context.Service<WhoCalls, {
  /**
   * Admits a request within the plan's rate limit, and stores the state of the rate-limit window in the exchange. A
   * session's reads have a separate rate limit, because pages read data that their user did not request.
   */
  readonly admit: (
    request: Request,
    exchange: Exchange
  ) => Effect.Effect<Principal, RefusalBy<KeyAuthorization | AnyRequest>>
  /** Admits a request by its key only, within the rate limit of the plan. Ignores cookies. */
  readonly admitKey: (
    request: Request,
    exchange: Exchange
  ) => Effect.Effect<Principal, RefusalBy<KeyAuthorization | AnyRequest>>
  /** Authenticates the session of a signed-in user. Does not accept keys, and counts no request. */
  readonly session: (
    request: Request,
    exchange: Exchange
  ) => Effect.Effect<OpenSession, RefusalBy<SessionAuthorization | AnyRequest>>
  /**
   * Checks whether the key or session of a request is still valid and holds all of `scopes`, for a response that lasts
   * longer than its admission. True while the store is unavailable. Keeps the text of the key or session, and not the
   * request.
   */
  readonly stillOpens: (request: Request, scopes: ReadonlyArray<Scope>) => Effect.Effect<boolean>
  /**
   * Runs `effect`, which may take long. Fails once the key or session of a request is no longer valid or has lost one
   * of `scopes`.
   */
  readonly whileOpen: <A, E, R>(
    request: Request,
    scopes: ReadonlyArray<Scope>,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | InvalidKey | InvalidSession, R>
}>()("@tapeline/http/WhoCalls") {
  static readonly layer: Layer.Layer<
    WhoCalls,
    never,
    Approach | Authenticator | RequestCeiling | SessionCookies
  > = Layer.effect(
    WhoCalls,
    Effect.gen(function*() {
      const [approach, authenticator, ceiling, cookies, readings] = yield* Effect.all([
        Approach,
        Authenticator,
        RequestCeiling,
        SessionCookies,
        sessionCeiling
      ])
      const sessions = Option.getOrUndefined(yield* Effect.serviceOption(Sessions))

      /** Returns the session token in a request. Undefined if the request has an `Authorization` header. */
      const textShown = (request: Request): string | undefined =>
        sessions === undefined || request.headers["authorization"] !== undefined ? undefined : cookies.shown(request)

      /**
       * Replaces a stale session token as soon as it is used. If the renewal takes too long, the token is not replaced
       * yet.
       */
      const renewed = (known: Sessions["Service"], text: string, request: Request, exchange: Exchange) =>
        Effect.match(Effect.timeout(known.renew(text), renewWithin), {
          onFailure: () => undefined,
          onSuccess: (next) => next === null ? undefined : cookies.give(request, exchange, next)
        })

      const open = Effect.fnUntraced(function*(text: string, request: Request, exchange: Exchange) {
        if (sessions === undefined) return yield* new InvalidSession()
        const isOthers = isReading(request) ? isEmbedded(request) : isForeign(approach, request)
        if (isOthers) return yield* new CrossSite()
        const by = request.headers[unattendedHeader] === "true" ? "clock" : "person"
        const opened = yield* sessions.authenticate(text, by)
        const meant = request.headers[accountHeader]
        if (meant !== undefined && meant !== String(opened.principal.account)) return yield* new OtherAccount()
        if (opened.isStale && by === "person") exchange.renewal = renewed(sessions, text, request, exchange)
        return opened
      })

      const recheck = rechecking(authenticator, sessions, textShown)
      const admitted = noting(recheck)

      const byKey = Effect.fnUntraced(function*(request: Request, exchange: Exchange) {
        const principal = yield* authenticator.authenticate(keyShown(request.headers["authorization"]))
        exchange.window = yield* ceiling.admit(principal)
        return yield* admitted(request, exchange, principal)
      })

      const bySession = Effect.fnUntraced(function*(text: string, request: Request, exchange: Exchange) {
        const { id, principal } = yield* open(text, request, exchange)
        exchange.window = yield* isReading(request) ? readings(id) : ceiling.admit(principal)
        return yield* admitted(request, exchange, principal)
      })

      return WhoCalls.of({
        admitKey: byKey,
        admit: (request, exchange) => {
          const text = textShown(request)
          return text === undefined ? byKey(request, exchange) : bySession(text, request, exchange)
        },
        session: (request, exchange) => {
          const text = textShown(request)
          return text === undefined ? Effect.fail(new InvalidSession()) : open(text, request, exchange)
        },
        ...lasting(recheck)
      })
    })
  )
}
