import {
  AccountUsageBody,
  CrossSite,
  servedAccountApi,
  SignedInBody,
  SignedInCaller,
  SignIn,
  SignInMethodsBody,
  TooManyAttempts
} from "@tapeline/api"
import {
  Administration,
  CurrentAdminActor,
  InvalidSession,
  Ledger,
  Plans,
  type SessionRecord,
  Sessions
} from "@tapeline/core"
import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeBodyReader } from "../body.ts"
import { AttemptLimiter, AttemptLimits } from "../callers/callerLimits.ts"
import { clientAddress } from "../callers/clientAddress.ts"
import { SessionCookies } from "../callers/cookies.ts"
import { isCrossOrigin, ReverseProxySettings } from "../callers/ReverseProxySettings.ts"
import { signInActor } from "../callers/signInActor.ts"
import { currentRequestContext } from "../requestContext.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { makeUsageAdjustmentReader, usageCredits } from "./creditBodies.ts"
import { byCredits } from "./meta.ts"
import { iso } from "./responseBodies.ts"
import { makeEndSession, sessionBody } from "./sessions.ts"

const readSignInBody = makeBodyReader(SignIn)
const respondSignedIn = makeJsonResponder(SignedInBody)

/**
 * Signs a user in with a sign-in link. Only unknown sign-in links count as failed attempts, so a valid sign-in link
 * works after any number of failures.
 */
const makeSignIn = Effect.gen(function*() {
  const [proxySettings, cookies, sessions, settings] = yield* Effect.all([
    ReverseProxySettings,
    SessionCookies,
    Sessions,
    AttemptLimits
  ])
  const attemptLimiter = new AttemptLimiter(settings)
  return Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
    // Without the check for a cross-origin request, a page of another site could sign the visitor in to an account of
    // the attacker.
    if (isCrossOrigin(proxySettings, request)) return yield* new CrossSite()
    const { link } = yield* readSignInBody(request)
    const device = request.headers["user-agent"] ?? ""
    const actor = yield* signInActor(proxySettings, request)
    const useLink = Effect.provideService(
      sessions.useLink(link, { device, previousToken: cookies.readToken(request) }),
      CurrentAdminActor,
      actor
    )
    const { session, token } = yield* Effect.tapErrorTag(
      useLink,
      "LinkRefused",
      Effect.fnUntraced(function*({ reason }) {
        if (reason !== "unknown") return
        const decision = attemptLimiter.countAttempt(
          clientAddress(proxySettings, request),
          yield* Clock.monotonicTimeNanos
        )
        if ("retryAfterMs" in decision) return yield* new TooManyAttempts({ retryAfterMs: decision.retryAfterMs })
      })
    )
    // Sets the cookie even if encoding the response fails later, because the link is already used up.
    cookies.setToken(request, yield* currentRequestContext, token)
    return session
  })
})

const makeSignedInResponse = Effect.gen(function*() {
  const [administration, plans] = yield* Effect.all([Administration, Plans])
  return Effect.fnUntraced(function*(session: SessionRecord) {
    // The account exists, because accounts are never deleted.
    const account = yield* Effect.catchTag(administration.account(session.account), "UnknownAccount", Effect.die)
    const { createdAt, id, name, plan } = account
    return yield* respondSignedIn({
      id,
      name,
      created_at: iso(createdAt),
      plan: { name: plan, ...(yield* plans.forAccount(account)) },
      session: sessionBody(session, session.id)
    }, { "cache-control": "no-store" })
  })
})

const respondUsage = makeJsonResponder(AccountUsageBody)

const makeUsageResponse = Effect.map(
  Ledger,
  (ledger) => {
    const readUsageAdjustments = makeUsageAdjustmentReader(ledger)
    return Effect.fnUntraced(function*(account: number, requestedMonth: string | undefined) {
      const usage = yield* ledger.usage(account, requestedMonth)
      // A signed-in account always has a balance, because accounts are never deleted.
      if (usage === null) return yield* Effect.die(new Error(`the signed-in account ${account} has no balance`))
      const { callers, days, month, renewsAt, tools } = usage
      return yield* respondUsage({
        month,
        credits: usageCredits(usage),
        adjustments: yield* readUsageAdjustments(account, month),
        renews_at: iso(renewsAt),
        tools: byCredits(tools),
        days: days.map(({ day, ...sums }) => ({ day: iso(day).slice(0, 10), ...sums })),
        keys: callers.map(({ caller, ...sums }) => ({
          kind: caller.kind,
          id: caller.kind === "key" ? caller.key : null,
          name: caller.kind === "key" ? caller.name : null,
          ...sums
        }))
      }, { "cache-control": "no-store" })
    })
  }
)

const respondSignInWays = makeJsonResponder(SignInMethodsBody)

/**
 * The handlers for sign-in, sign-out, the signed-in account and the account's usage. `openid` describes the OpenID
 * provider, if users can sign in with one.
 */
export const layerAccount = (openid: (typeof SignInMethodsBody.Type)["openid"]) =>
  HttpApiBuilder.group(
    servedAccountApi,
    "account",
    Effect.fnUntraced(function*(handlers) {
      const [cookies, sessions] = yield* Effect.all([SessionCookies, Sessions])
      const [endSession, signIn, signedInResponse, usageResponse] = yield* Effect.all([
        makeEndSession,
        makeSignIn,
        makeSignedInResponse,
        makeUsageResponse
      ])
      return handlers
        .handleRaw("signIn", makeOperation(({ request }) => Effect.flatMap(signIn(request), signedInResponse)))
        .handleRaw(
          "signInWays",
          makeOperation(({ request }) =>
            respondSignInWays({ openid, has_session: cookies.readToken(request) !== undefined }, {
              "cache-control": "no-store"
            })
          )
        )
        .handleRaw(
          "signOut",
          makeOperation(({ request }) =>
            Effect.flatMap(
              SignedInCaller,
              ({ session }) =>
                Effect.catchTag(endSession(request, session), "UnknownSession", () => Effect.fail(new InvalidSession()))
            )
          )
        )
        .handleRaw(
          "accountUsage",
          makeOperation(({ query: { month } }) =>
            Effect.flatMap(SignedInCaller, ({ account }) => usageResponse(account, month))
          )
        )
        .handleRaw(
          "signedIn",
          makeOperation(Effect.fnUntraced(function*() {
            const { account, session } = yield* SignedInCaller
            const page = { after: session - 1, limit: 1 }
            const [record] = yield* Effect.catchTag(sessions.sessions(account, page), "UnknownAccount", Effect.die)
            return record?.id === session ? yield* signedInResponse(record) : yield* new InvalidSession()
          }))
        )
    })
  )
