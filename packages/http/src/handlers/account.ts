import {
  AccountUsageBody,
  CrossSite,
  servedAccountApi,
  SignedInBody,
  SignedInCaller,
  SignIn,
  SignInWaysBody,
  TooManyAttempts
} from "@tapeline/api"
import { Administration, InvalidSession, Ledger, Plans, type SessionRecord, Sessions } from "@tapeline/core"
import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { answering } from "../answer.ts"
import { reading } from "../body.ts"
import { Approach, isForeign } from "../callers/Approach.ts"
import { Attempts, AttemptSettings } from "../callers/Attempts.ts"
import { clientAddress } from "../callers/clientAddress.ts"
import { SessionCookies } from "../callers/cookies.ts"
import { currentExchange } from "../exchange.ts"
import { operation } from "../operation.ts"
import { iso } from "./keyBodies.ts"
import { byCredits } from "./meta.ts"
import { makeEnd, sessionBody } from "./sessions.ts"

const readSignIn = reading(SignIn)
const answerSignedIn = answering(SignedInBody)

/**
 * Signs in by a link, which is valid once. Only unknown links count as failed attempts, so a valid link works after any
 * number of failures from the same address.
 */
const makeSignIns = Effect.gen(function*() {
  const [approach, cookies, sessions, settings] = yield* Effect.all([
    Approach,
    SessionCookies,
    Sessions,
    AttemptSettings
  ])
  const attempts = new Attempts(settings)
  return Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
    // Another site could sign a user without a session in to another account.
    if (isForeign(approach, request)) return yield* new CrossSite()
    const { link } = yield* readSignIn(request)
    const device = request.headers["user-agent"] ?? ""
    const { session, text } = yield* Effect.tapErrorTag(
      sessions.useLink(link, { device, held: cookies.shown(request) }),
      "LinkRefused",
      Effect.fnUntraced(function*({ reason }) {
        if (reason !== "unknown") return
        const attempt = attempts.make(clientAddress(approach, request), yield* Clock.monotonicTimeNanos)
        if ("waitMs" in attempt) return yield* new TooManyAttempts({ retryAfterMs: attempt.waitMs })
      })
    )
    // Sets the cookie even if the response's body fails later, because the link is already used up.
    cookies.give(request, yield* currentExchange, text)
    return session
  })
})

/** The response with the signed-in account and its session. */
const makeSignedIn = Effect.gen(function*() {
  const [administration, plans] = yield* Effect.all([Administration, Plans])
  return Effect.fnUntraced(function*(session: SessionRecord) {
    // Accounts are never removed. The account of a session therefore exists.
    const found = yield* Effect.catchTag(administration.account(session.account), "UnknownAccount", Effect.die)
    const { createdAt, id, name, plan } = found
    return yield* answerSignedIn({
      id,
      name,
      created_at: iso(createdAt),
      plan: { name: plan, ...(yield* plans.of(found)) },
      session: sessionBody(session, session.id)
    }, { "cache-control": "no-store" })
  })
})

const answerUsage = answering(AccountUsageBody)

/** The usage of an account in a month. */
const makeUsage = Effect.map(
  Ledger,
  (ledger) =>
    Effect.fnUntraced(function*(account: number, asked: string | undefined) {
      const usage = yield* ledger.usage(account, asked)
      // Accounts are never removed. The account of a session therefore has a balance.
      if (usage === null) return yield* Effect.die(new Error(`account ${account} is signed in, and has no books`))
      const { allotted, callers, days, left, month, renewsAt, reserved, tools, used } = usage
      return yield* answerUsage({
        month,
        credits: { allotted, used, reserved, left },
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
)

const answerWays = answering(SignInWaysBody)

/** Sign-in, sign-out, the signed-in account and its usage. `openid` is the provider, if there is one. */
export const layerAccount = (openid: (typeof SignInWaysBody.Type)["openid"]) =>
  HttpApiBuilder.group(
    servedAccountApi,
    "account",
    Effect.fnUntraced(function*(handlers) {
      const [cookies, sessions] = yield* Effect.all([SessionCookies, Sessions])
      const [end, signIn, signedIn, usage] = yield* Effect.all([makeEnd, makeSignIns, makeSignedIn, makeUsage])
      return handlers
        .handleRaw("signIn", operation(({ request }) => Effect.flatMap(signIn(request), signedIn)))
        .handleRaw(
          "signInWays",
          operation(({ request }) =>
            answerWays({ openid, has_session: cookies.shown(request) !== undefined }, { "cache-control": "no-store" })
          )
        )
        .handleRaw(
          "signOut",
          operation(({ request }) =>
            Effect.flatMap(
              SignedInCaller,
              ({ session }) =>
                Effect.catchTag(end(request, session), "UnknownSession", () => Effect.fail(new InvalidSession()))
            )
          )
        )
        .handleRaw(
          "accountUsage",
          operation(({ query: { month } }) => Effect.flatMap(SignedInCaller, ({ account }) => usage(account, month)))
        )
        .handleRaw(
          "signedIn",
          operation(Effect.fnUntraced(function*() {
            const { account, session } = yield* SignedInCaller
            const page = { after: session - 1, limit: 1 }
            const [found] = yield* Effect.catchTag(sessions.sessions(account, page), "UnknownAccount", Effect.die)
            return found?.id === session ? yield* signedIn(found) : yield* new InvalidSession()
          }))
        )
    })
  )
