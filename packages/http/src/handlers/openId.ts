import { type RefusedSignIn, servedOpenIdApi, signInPath } from "@tapeline/api"
import { type Attempt, ProviderSignIn } from "@tapeline/core"
import { Clock, Effect, Option, PartitionedSemaphore, Ref } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Approach, isEmbedded } from "../callers/Approach.ts"
import { attemptsShown, keepingAttempts } from "../callers/attemptCookies.ts"
import { Attempts, AttemptSettings } from "../callers/Attempts.ts"
import { clientAddress, siteOf } from "../callers/clientAddress.ts"
import { SessionCookies } from "../callers/cookies.ts"
import { currentExchange, targetOf } from "../exchange.ts"
import { operation } from "../operation.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Redirects without a referrer: the current address contains a code, or is the console's. */
const leadsTo = (url: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.redirect(url, {
    status: 302,
    headers: { "cache-control": "no-store", "referrer-policy": "no-referrer" }
  })

/** Redirects to the sign-in page, which shows the reason in its own words. */
const refused = (reason: RefusedSignIn) => leadsTo(`${signInPath}?refused=${reason}`)

/** Logs failures that the user did not cause. */
const told = (reason: RefusedSignIn) => (error: Error) => Effect.as(Effect.logWarning(error.message), refused(reason))

/** While the provider is unavailable, all sign-ins fail. This is logged once in this time, in ns. */
const toldOnceIn = 60_000_000_000n

/** Like `told`, but logs at most once per `toldOnceIn`. */
const toldAtTimes = (reason: RefusedSignIn) =>
  Effect.map(Ref.make<bigint | undefined>(undefined), (last) => (error: Error) =>
    Effect.gen(function*() {
      const now = yield* Clock.monotonicTimeNanos
      const isDue = yield* Ref.modify(last, (before) =>
        before === undefined || now - before >= toldOnceIn ? [true, now] : [false, before])
      return yield* isDue ? told(reason)(error) : Effect.succeed(refused(reason))
    }))

const beginning = Effect.gen(function*() {
  const [approach, signIn, away] = yield* Effect.all([Approach, ProviderSignIn, toldAtTimes("provider_away")])
  return Effect.fnUntraced(function*(request: Request) {
    // A page of another site could embed this address, and push the visitor's own sign-ins out of the cookie.
    if (isEmbedded(request)) return refused("elsewhere")
    const waiting = yield* signIn.waiting(attemptsShown(approach, request))
    return yield* Effect.matchEffect(signIn.begin, {
      onSuccess: ({ text, url }) =>
        Effect.succeed(keepingAttempts(approach, request, [...waiting, text], leadsTo(url))),
      onFailure: away
    })
  })
})

/**
 * The time between two callbacks beyond the limits, in each of the two queues. With a callback, the provider sends a
 * browser back to this service.
 */
const spacingMs = 200

/** How long a callback waits for its turn. */
const maxWaitMs = 10_000

/**
 * Gives the callbacks beyond the limits their turns. Browsers that signed in before have a separate queue, in which
 * accounts take turns. The sites of addresses take turns in the other queue.
 */
const makeTurns = Effect.gen(function*() {
  const [cookies, signIn] = yield* Effect.all([SessionCookies, ProviderSignIn])
  const bySite = yield* PartitionedSemaphore.make<string>({ permits: 1 })
  const byAccount = yield* PartitionedSemaphore.make<number>({ permits: 1 })
  return Effect.fnUntraced(function*(request: Request, address: string) {
    const held = cookies.shown(request)
    const known = held === undefined ? Effect.undefined : signIn.accountOf(held)
    const account = yield* Effect.orElseSucceed(known, () => undefined)
    const spacing = Effect.sleep(spacingMs)
    const turn = account === undefined
      ? bySite.withPermit(siteOf(address))(spacing)
      : byAccount.withPermit(account)(spacing)
    return yield* Effect.timeoutOption(turn, maxWaitMs)
  })
})

const ending = Effect.gen(function*() {
  const [approach, cookies, settings, signIn] = yield* Effect.all([
    Approach,
    SessionCookies,
    AttemptSettings,
    ProviderSignIn
  ])
  const attempts = new Attempts(settings)
  // Each callback causes a request to the provider. Only the provider knows whether a callback is valid, so callbacks
  // beyond these limits wait for their turn. A valid callback is rejected as well if about fifty of its site wait
  // before it.
  const exchanges = new Attempts({ ...settings, perAddress: 10 * settings.perAddress })
  const turnOf = yield* makeTurns

  const finish = Effect.fnUntraced(
    function*(request: Request, attempt: Attempt, query: string) {
      const device = request.headers["user-agent"] ?? ""
      const { text } = yield* signIn.finish(attempt, query, { device, held: cookies.shown(request) })
      cookies.give(request, yield* currentExchange, text)
      return leadsTo("/app/")
    },
    (signedIn, request) =>
      Effect.catchTags(signedIn, {
        SignInRefused: Effect.fnUntraced(function*({ reason }) {
          if (reason !== "unsound") return refused(reason)
          // Only invalid callbacks count as failed attempts, and no failed attempt rejects a valid callback.
          const made = attempts.make(clientAddress(approach, request), yield* Clock.monotonicTimeNanos)
          return refused("waitMs" in made ? "attempts" : reason)
        }),
        ProviderUnavailable: told("provider_away"),
        StoreUnavailable: told("unavailable")
      })
  )

  return Effect.fnUntraced(function*(request: Request) {
    const { query } = targetOf(request)
    const waiting = yield* signIn.waiting(attemptsShown(approach, request))
    const attempt = yield* signIn.answered(waiting, query)
    if (attempt === undefined) return refused("elsewhere")
    const address = clientAddress(approach, request)
    const asked = exchanges.make(address, yield* Clock.monotonicTimeNanos)
    if ("waitMs" in asked && Option.isNone(yield* turnOf(request, address))) return refused("attempts")
    const exchange = yield* currentExchange
    const response = yield* finish(request, attempt, query)
    if (exchange.cookie !== undefined && "takeBack" in asked) asked.takeBack()
    // This sign-in is over with any outcome. Other sign-ins may still be running.
    return keepingAttempts(approach, request, waiting.filter((text) => text !== attempt.text), response)
  })
})

/** Sign-in with an OpenID provider. */
export const layerOpenId = HttpApiBuilder.group(
  servedOpenIdApi,
  "openId",
  Effect.fnUntraced(function*(handlers) {
    const [begin, end] = yield* Effect.all([beginning, ending])
    return handlers
      .handleRaw("beginOpenId", operation(({ request }) => begin(request)))
      .handleRaw("endOpenId", operation(({ request }) => end(request)))
  })
)
