import { servedOpenIdApi, type SignInFailure, signInPath } from "@tapeline/api"
import { ProviderSignIn, type SignInAttempt } from "@tapeline/core"
import { Clock, Effect, Option, PartitionedSemaphore, Ref } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AttemptLimiter, AttemptLimits } from "../callers/callerLimits.ts"
import { clientAddress, siteOf } from "../callers/clientAddress.ts"
import { SessionCookies } from "../callers/cookies.ts"
import { isCrossSiteEmbed, ReverseProxySettings } from "../callers/ReverseProxySettings.ts"
import { readAttemptIds, withAttemptCookie } from "../callers/signInAttemptCookies.ts"
import { currentRequestContext, targetOf } from "../requestContext.ts"
import { makeOperation } from "../responses.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Redirects without a referrer: the current address contains a code, or is the console's. */
const redirectTo = (url: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.redirect(url, {
    status: 302,
    headers: { "cache-control": "no-store", "referrer-policy": "no-referrer" }
  })

/** Redirects to the sign-in page, which shows the reason in its own words. */
const redirectRejected = (reason: SignInFailure) => redirectTo(`${signInPath}?refused=${reason}`)

/** Logs failures that the user did not cause. */
const logAndRedirect = (reason: SignInFailure) => (error: Error) =>
  Effect.as(Effect.logWarning(error.message), redirectRejected(reason))

/** While the provider is unavailable, all sign-ins fail. This is logged once in this time, in ns. */
const logIntervalNs = 60_000_000_000n

/** Like `logAndRedirect`, but logs at most once per `logIntervalNs`. */
const makeThrottledLogAndRedirect = (reason: SignInFailure) =>
  Effect.map(Ref.make<bigint | undefined>(undefined), (lastLogged) => (error: Error) =>
    Effect.gen(function*() {
      const now = yield* Clock.monotonicTimeNanos
      const isDue = yield* Ref.modify(lastLogged, (lastTime) =>
        lastTime === undefined || now - lastTime >= logIntervalNs ? [true, now] : [false, lastTime])
      return yield* isDue ? logAndRedirect(reason)(error) : Effect.succeed(redirectRejected(reason))
    }))

const makeBegin = Effect.gen(function*() {
  const [proxySettings, signIn, onProviderUnavailable] = yield* Effect.all([
    ReverseProxySettings,
    ProviderSignIn,
    makeThrottledLogAndRedirect("provider_away")
  ])
  return Effect.fnUntraced(function*(request: Request) {
    // A page of another site could embed this address, and push the visitor's own sign-ins out of the cookie.
    if (isCrossSiteEmbed(request)) return redirectRejected("elsewhere")
    const pendingAttempts = yield* signIn.pendingSecrets(readAttemptIds(proxySettings, request))
    return yield* Effect.matchEffect(signIn.begin, {
      onSuccess: ({ secret, url }) =>
        Effect.succeed(withAttemptCookie(proxySettings, request, [...pendingAttempts, secret], redirectTo(url))),
      onFailure: onProviderUnavailable
    })
  })
})

/**
 * The time between two callbacks beyond the limits, in each of the two queues. With a callback, the provider sends a
 * browser back to this service.
 */
const turnIntervalMs = 200

/** How long a callback waits for its turn. */
const maxWaitMs = 10_000

/**
 * Gives the callbacks beyond the limits their turns. Browsers that signed in before have a separate queue, in which
 * accounts take turns. The sites of addresses take turns in the other queue.
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

const makeEnd = Effect.gen(function*() {
  const [proxySettings, cookies, settings, signIn] = yield* Effect.all([
    ReverseProxySettings,
    SessionCookies,
    AttemptLimits,
    ProviderSignIn
  ])
  const invalidCallbackLimiter = new AttemptLimiter(settings)
  // Each callback causes a request to the provider. Only the provider knows whether a callback is valid, so callbacks
  // beyond these limits wait for their turn. A valid callback is rejected as well if about fifty of its site wait
  // before it.
  const callbackLimiter = new AttemptLimiter({ ...settings, maxPerAddress: 10 * settings.maxPerAddress })
  const awaitTurn = yield* makeAwaitTurn

  const finish = Effect.fnUntraced(
    function*(request: Request, attempt: SignInAttempt, query: string) {
      const device = request.headers["user-agent"] ?? ""
      const { token } = yield* signIn.finish(attempt, query, { device, previousToken: cookies.readToken(request) })
      cookies.setToken(request, yield* currentRequestContext, token)
      return redirectTo("/app/")
    },
    (finished, request) =>
      Effect.catchTags(finished, {
        SignInRefused: Effect.fnUntraced(function*({ reason }) {
          if (reason !== "unsound") return redirectRejected(reason)
          // Only invalid callbacks count as failed attempts, and no failed attempt rejects a valid callback.
          const decision = invalidCallbackLimiter.make(
            clientAddress(proxySettings, request),
            yield* Clock.monotonicTimeNanos
          )
          return redirectRejected("retryAfterMs" in decision ? "attempts" : reason)
        }),
        ProviderUnavailable: logAndRedirect("provider_away"),
        StoreUnavailable: logAndRedirect("unavailable")
      })
  )

  return Effect.fnUntraced(function*(request: Request) {
    const { query } = targetOf(request)
    const pendingAttempts = yield* signIn.pendingSecrets(readAttemptIds(proxySettings, request))
    const attempt = yield* signIn.findAttempt(pendingAttempts, query)
    if (attempt === undefined) return redirectRejected("elsewhere")
    const address = clientAddress(proxySettings, request)
    const decision = callbackLimiter.make(address, yield* Clock.monotonicTimeNanos)
    if ("retryAfterMs" in decision && Option.isNone(yield* awaitTurn(request, address))) {
      return redirectRejected("attempts")
    }
    const requestContext = yield* currentRequestContext
    const response = yield* finish(request, attempt, query)
    if (requestContext.sessionCookieHeader !== undefined && "undo" in decision) decision.undo()
    // This sign-in is over with any outcome. Other sign-ins may still be running.
    return withAttemptCookie(
      proxySettings,
      request,
      pendingAttempts.filter((text) => text !== attempt.secret),
      response
    )
  })
})

/** Sign-in with an OpenID provider. */
export const layerOpenId = HttpApiBuilder.group(
  servedOpenIdApi,
  "openId",
  Effect.fnUntraced(function*(handlers) {
    const [begin, end] = yield* Effect.all([makeBegin, makeEnd])
    return handlers
      .handleRaw("beginOpenId", makeOperation(({ request }) => begin(request)))
      .handleRaw("endOpenId", makeOperation(({ request }) => end(request)))
  })
)
