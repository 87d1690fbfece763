import { servedOpenIdApi, type SignInFailure, signInPath } from "@tapeline/api"
import { CurrentAdminActor, ProviderSignIn, type SignInAttempt } from "@tapeline/core"
import { Clock, Effect, Option, PartitionedSemaphore } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AttemptLimiter, AttemptLimits } from "../callers/callerLimits.ts"
import { clientAddress, siteOf } from "../callers/clientAddress.ts"
import { SessionCookies } from "../callers/cookies.ts"
import { isCrossSiteEmbed, ReverseProxySettings } from "../callers/ReverseProxySettings.ts"
import { signInActor } from "../callers/signInActor.ts"
import { completedIdOf, isCompletedId, readAttemptIds, withAttemptCookie } from "../callers/signInAttemptCookies.ts"
import { currentRequestContext, targetOf } from "../requestContext.ts"
import { makeOperation } from "../responses.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Redirects without a referrer, because the current URL may contain an authorization code. */
const redirectTo = (url: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.redirect(url, {
    status: 302,
    headers: { "cache-control": "no-store", "referrer-policy": "no-referrer" }
  })

const redirectRejected = (reason: SignInFailure) => redirectTo(`${signInPath}?refused=${reason}`)

/** The minimum time between two log lines with the same message, in ns. */
const logIntervalNs = 60_000_000_000n

type LogFailure = (error: Error) => Effect.Effect<void>

/**
 * Creates a function that logs failed sign-ins. Anyone can cause failures, so each message is logged at most once a
 * minute, with the number of omitted repetitions. The messages are fixed texts, so the map of messages stays small.
 */
const makeLogFailure = (): LogFailure => {
  const lastLines = new Map<string, { readonly atNs: bigint; omitted: number }>()
  return ({ message }) =>
    Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
      const last = lastLines.get(message)
      if (last !== undefined && now - last.atNs < logIntervalNs) {
        last.omitted++
        return Effect.void
      }
      lastLines.set(message, { atNs: now, omitted: 0 })
      const omitted = last?.omitted ?? 0
      return Effect.logWarning(omitted === 0 ? message : `${message} (${omitted} repetitions were not logged)`)
    })
}

const makeBegin = Effect.fnUntraced(function*(logFailure: LogFailure) {
  const [proxySettings, signIn] = yield* Effect.all([ReverseProxySettings, ProviderSignIn])
  return Effect.fnUntraced(function*(request: Request, isAgain: boolean) {
    // A page of another site could otherwise embed the sign-in URL and displace the visitor's own sign-in attempts from
    // the cookie.
    if (isCrossSiteEmbed(proxySettings, request)) return redirectRejected("elsewhere")
    const attemptIds = readAttemptIds(proxySettings, request)
    const completed = attemptIds.filter(isCompletedId)
    const pending = yield* signIn.pendingSecrets(attemptIds)
    return yield* Effect.matchEffect(signIn.begin({ isAgain }), {
      onSuccess: ({ secret, url }) =>
        Effect.succeed(
          withAttemptCookie(proxySettings, request, [...completed, ...pending, secret], redirectTo(url))
        ),
      onFailure: (error) => Effect.as(logFailure(error), redirectRejected("provider_away"))
    })
  })
})

/**
 * The interval in ms at which queued OpenID callbacks are processed. A callback is a request with which the OpenID
 * provider redirects a browser back to the service.
 */
const turnIntervalMs = 200

/** The maximum time in ms for which an OpenID callback above the rate limit waits. */
const maxWaitMs = 10_000

/**
 * Creates two queues for OpenID callbacks above the rate limit. One queue alternates between the accounts of signed-in
 * browsers. The other queue alternates between the networks of browsers without a session.
 */
const makeAwaitTurn = Effect.gen(function*() {
  const [sessionCookies, signIn] = yield* Effect.all([SessionCookies, ProviderSignIn])
  const bySite = yield* PartitionedSemaphore.make<string>({ permits: 1 })
  const byAccount = yield* PartitionedSemaphore.make<number>({ permits: 1 })
  return Effect.fnUntraced(function*(request: Request, address: string) {
    const sessionToken = sessionCookies.readToken(request)
    const accountLookup = sessionToken === undefined ? Effect.undefined : signIn.accountOf(sessionToken)
    const account = yield* Effect.orElseSucceed(accountLookup, () => undefined)
    const holdTurn = Effect.sleep(turnIntervalMs)
    const turn = account === undefined
      ? bySite.withPermit(siteOf(address))(holdTurn)
      : byAccount.withPermit(account)(holdTurn)
    return yield* Effect.timeoutOption(turn, maxWaitMs)
  })
})

const makeEnd = Effect.fnUntraced(function*(logFailure: LogFailure) {
  const [proxySettings, cookies, settings, signIn] = yield* Effect.all([
    ReverseProxySettings,
    SessionCookies,
    AttemptLimits,
    ProviderSignIn
  ])
  const invalidCallbackLimiter = new AttemptLimiter(settings)
  // Each callback causes a request to the provider, because only the provider knows whether the callback is valid.
  // Callbacks above the rate limit therefore wait in a queue. The queue rejects a callback behind about fifty callbacks
  // of the same site.
  const callbackLimiter = new AttemptLimiter({ ...settings, maxPerAddress: 10 * settings.maxPerAddress })
  const awaitTurn = yield* makeAwaitTurn

  const finish = Effect.fnUntraced(
    function*(request: Request, attempt: SignInAttempt, query: string) {
      const device = request.headers["user-agent"] ?? ""
      const { token } = yield* Effect.provideService(
        signIn.finish(attempt, query, { device, previousToken: cookies.readToken(request) }),
        CurrentAdminActor,
        yield* signInActor(proxySettings, request)
      )
      cookies.setToken(request, yield* currentRequestContext, token)
      return redirectTo("/app/")
    },
    (finished, request) =>
      Effect.catchTags(finished, {
        SignInRefused: Effect.fnUntraced(function*(error) {
          const { reason } = error
          if (reason !== "unsound") return redirectRejected(reason)
          yield* logFailure(error)
          // Only invalid callbacks count as failed attempts, and failed attempts never reject a valid callback.
          const decision = invalidCallbackLimiter.countAttempt(
            clientAddress(proxySettings, request),
            yield* Clock.monotonicTimeNanos
          )
          return redirectRejected("retryAfterMs" in decision ? "attempts" : reason)
        }),
        ProviderUnavailable: (error) => Effect.as(logFailure(error), redirectRejected("provider_away")),
        StoreUnavailable: (error) => Effect.as(logFailure(error), redirectRejected("unavailable"))
      })
  )

  return Effect.fnUntraced(function*(request: Request) {
    const { query } = targetOf(request)
    const attemptIds = readAttemptIds(proxySettings, request)
    const pending = yield* signIn.pendingSecrets(attemptIds)
    const attempt = yield* signIn.findAttempt(pending, query)
    if (attempt === undefined) {
      const completedId = completedIdOf(new URLSearchParams(query).get("state") ?? "")
      return redirectRejected(attemptIds.includes(completedId) ? "used" : "elsewhere")
    }
    const address = clientAddress(proxySettings, request)
    const decision = callbackLimiter.countAttempt(address, yield* Clock.monotonicTimeNanos)
    if ("retryAfterMs" in decision && Option.isNone(yield* awaitTurn(request, address))) {
      return redirectRejected("attempts")
    }
    const requestContext = yield* currentRequestContext
    const response = yield* finish(request, attempt, query)
    if (requestContext.sessionCookieHeader !== undefined && "undo" in decision) decision.undo()
    // This sign-in attempt is over, successful or not, but other attempts of the browser may still be pending.
    return withAttemptCookie(
      proxySettings,
      request,
      [
        ...attemptIds.filter(isCompletedId),
        completedIdOf(attempt.state),
        ...pending.filter((secret) => secret !== attempt.secret)
      ],
      response
    )
  })
})

export const layerOpenId = HttpApiBuilder.group(
  servedOpenIdApi,
  "openId",
  Effect.fnUntraced(function*(handlers) {
    const logFailure = makeLogFailure()
    const [begin, end] = yield* Effect.all([makeBegin(logFailure), makeEnd(logFailure)])
    return handlers
      .handleRaw("beginOpenId", makeOperation(({ query, request }) => begin(request, query.again === "true")))
      .handleRaw("endOpenId", makeOperation(({ request }) => end(request)))
  })
)
