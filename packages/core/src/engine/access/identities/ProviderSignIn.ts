import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { StoreUnavailable } from "../../store/errors.ts"
import { AdminStore } from "../AdminStore.ts"
import { Sessions, type SignedIn, type SignInBrowser } from "../sessions/Sessions.ts"
import { IdentityProvider, NotVouched, type ProviderUnavailable, type SignInParameters } from "./IdentityProvider.ts"
import { type AdmittedIdentity, IdentityStore, NotAdmitted } from "./IdentityStore.ts"
import { accountName, accountPlan, isStorableSubject, type NewAccountRules } from "./newAccounts.ts"
import {
  findAttemptByState,
  pendingAttempts,
  responseRetainMs,
  type SignInAttempt,
  startAttempt
} from "./signInAttempt.ts"

/**
 * The error of a rejected sign-in.
 *
 * - `elsewhere`: the sign-in was started in another browser, or too long ago.
 * - `used`: the provider's response was used before.
 * - `denied`, `unsound`: the provider did not authenticate the user (see `NotVouched`).
 * - `no_account`: the user is authenticated, but no account exists and none may be created.
 */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {
  reason: Schema.Literals(["elsewhere", "used", "denied", "unsound", "no_account"]),
  /** The message for the operator's log, for a sign-in that the identity provider did not confirm. */
  detail: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return this.detail ?? `The sign-in with the identity provider was rejected: ${this.reason}`
  }
}

/** The URLs of the sign-in, and the rules for new accounts. */
export interface ProviderSignInOptions extends NewAccountRules {
  /** The identity provider redirects browsers to this URL. The operator must register the URL with the provider. */
  readonly redirectUri: string
  /** The URL at which a browser starts a sign-in, on the same host as `redirectUri`. */
  readonly beginUrl: string
}

const stateOfQuery = (query: string): string | undefined => {
  const states = new URLSearchParams(query).getAll("state")
  return states.length === 1 ? states[0] : undefined
}

/**
 * Signs users in through an identity provider. The browser that begins a sign-in keeps a secret. A response that
 * arrives in another browser is rejected.
 */
export class ProviderSignIn extends Context.Service<ProviderSignIn, {
  readonly label: string
  readonly beginUrl: string
  /**
   * Begins a sign-in, and returns the provider's URL for the redirect and the secret that the browser keeps. If
   * `isAgain` is true, the provider must authenticate the user again, even if the provider remembers the user.
   */
  readonly begin: (
    options: { readonly isAgain: boolean }
  ) => Effect.Effect<{ readonly url: string; readonly secret: string }, ProviderUnavailable>
  /** Returns the secrets of the sign-ins that the browser can still complete. */
  readonly pendingSecrets: (secrets: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
  /** Returns the pending sign-in to which the query string of a redirect belongs, or undefined. */
  readonly findAttempt: (secrets: ReadonlyArray<string>, query: string) => Effect.Effect<SignInAttempt | undefined>
  /** Returns the account of the session that a session token belongs to, or undefined if the token is unknown. */
  readonly accountOf: (sessionToken: string) => Effect.Effect<number | undefined, StoreUnavailable>
  /** Completes a sign-in, and creates an account at the user's first sign-in. */
  readonly finish: (
    attempt: SignInAttempt,
    query: string,
    arrival: SignInBrowser
  ) => Effect.Effect<SignedIn, SignInRefused | ProviderUnavailable | StoreUnavailable>
}>()("@tapeline/core/access/ProviderSignIn") {
  static readonly layer = (
    { redirectUri, beginUrl, ...accountRules }: ProviderSignInOptions
  ): Layer.Layer<ProviderSignIn, never, AdminStore | IdentityProvider | IdentityStore | Sessions> =>
    Layer.effect(
      ProviderSignIn,
      Effect.gen(function*() {
        const [adminStore, provider, store, sessions] = yield* Effect.all([
          AdminStore,
          IdentityProvider,
          IdentityStore,
          Sessions
        ])
        const parametersOf = (
          { authenticatedSince, nonce, state, verifier }: SignInAttempt
        ): SignInParameters => ({ redirectUri, state, nonce, verifier, authenticatedSince })

        const authenticate = Effect.fnUntraced(function*(attempt: SignInAttempt, query: string) {
          const user = yield* provider.authenticate(parametersOf(attempt), query)
          if (isStorableSubject(user.subject)) return user
          return yield* new NotVouched({ how: "unsound", reason: "the subject cannot be stored" })
        })

        const recordAdmission = Effect.fnUntraced(function*({ account, isNew }: AdmittedIdentity, issuer: string) {
          // Until its erasure, a closed account keeps its identity, so the user cannot sign in.
          if (account.status === "closed") return yield* new NotAdmitted()
          if (!isNew) return
          const { id, name, plan } = account
          const after = { name, plan, issuer }
          yield* adminStore.record([{ type: "account.created", account: id, target: null, before: null, after }])
        })

        return ProviderSignIn.of({
          label: provider.label,
          beginUrl,
          begin: Effect.fn("ProviderSignIn.begin")(function*({ isAgain }) {
            const attempt = yield* startAttempt(yield* Clock.currentTimeMillis, isAgain)
            return { url: yield* provider.authorize(parametersOf(attempt)), secret: attempt.secret }
          }),
          accountOf: sessions.accountOf,
          pendingSecrets: (secrets) => Effect.map(Clock.currentTimeMillis, (now) => pendingAttempts(secrets, now)),
          findAttempt: (secrets, query) => {
            const state = stateOfQuery(query)
            return state === undefined ? Effect.undefined : findAttemptByState(secrets, state)
          },
          finish: Effect.fn("ProviderSignIn.finish")(
            function*(attempt, query, arrival) {
              const { claims, issuer, subject } = yield* authenticate(attempt, query)
              const admit = store.admit({
                issuer,
                subject,
                responseHash: attempt.responseHash,
                retainMs: responseRetainMs,
                name: accountName(claims),
                plan: accountPlan(accountRules, claims),
                now: null
              })
              const { account } = yield* adminStore.transact(
                Effect.tap(admit, (admitted) => recordAdmission(admitted, issuer))
              )
              // The account exists, because accounts are never deleted.
              return yield* Effect.catchTag(sessions.open(account.id, "openid", arrival), "UnknownAccount", Effect.die)
            },
            Effect.catchTags({
              AnswerUsed: () => Effect.fail(new SignInRefused({ reason: "used" })),
              NotAdmitted: () => Effect.fail(new SignInRefused({ reason: "no_account" })),
              NotVouched: ({ how, message }) => Effect.fail(new SignInRefused({ reason: how, detail: message }))
            }),
            Effect.tapErrorTag("SignInRefused", ({ reason }) => sessions.countFailure(`openid_${reason}`))
          )
        })
      })
    )
}
