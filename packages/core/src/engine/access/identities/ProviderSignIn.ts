import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { StoreUnavailable } from "../../store/StoreUnavailable.ts"
import { type Arrival, Sessions, type SignedIn } from "../sessions/Sessions.ts"
import { isSoundSubject, nameOf, type NewAccounts, planOf } from "./admission.ts"
import { answerKeepMs, type Attempt, attemptWith, freshAttempts, newAttempt } from "./attempt.ts"
import { type Asked, IdentityProvider, NotVouched, type ProviderUnavailable } from "./IdentityProvider.ts"
import { IdentityStore } from "./IdentityStore.ts"

/**
 * Nobody is signed in: this browser began no such sign-in, or began it too long ago (`elsewhere`); the answer was used
 * before (`used`); the provider vouches for nobody (`denied`, `unsound`, as `NotVouched` says); or it does, and nothing
 * gives that one an account (`no_account`).
 */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {
  reason: Schema.Literals(["elsewhere", "used", "denied", "unsound", "no_account"])
}) {
  override get message(): string {
    return `Nobody is signed in by the provider of identities: ${this.reason}`
  }
}

/** How accounts come of what a provider says. */
export interface ProviderSignInOptions extends NewAccounts {
  /** Where the provider sends browsers back to: an address of this service that it was told of beforehand. */
  readonly redirectUri: string
  /** Where a sign-in begins, as browsers reach it: they come back to the same host. */
  readonly beginsAt: string
}

const stateIn = (query: string): string | undefined => {
  const states = new URLSearchParams(query).getAll("state")
  return states.length === 1 ? states[0] : undefined
}

/**
 * People who sign in where a provider says who they are. What a sign-in is known by stays with the browser that began
 * it: an answer that is brought by another one is nobody's.
 */
export class ProviderSignIn extends Context.Service<ProviderSignIn, {
  readonly label: string
  readonly beginsAt: string
  /** Begins a sign-in: where the browser goes, and the text that it keeps. */
  readonly begin: Effect.Effect<{ readonly url: string; readonly text: string }, ProviderUnavailable>
  /** Of the texts that a browser shows those that may still be answered. */
  readonly waiting: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
  /** Which of the sign-ins that wait a query answers; undefined for none. */
  readonly answered: (waiting: ReadonlyArray<string>, query: string) => Effect.Effect<Attempt | undefined>
  /** The account that the browser of a session's text signed in to before, if the text is of a session. */
  readonly accountOf: (text: string) => Effect.Effect<number | undefined, StoreUnavailable>
  /** Signs in whom the provider vouches for; an account is made at the first time. */
  readonly finish: (
    attempt: Attempt,
    query: string,
    arrival: Arrival
  ) => Effect.Effect<SignedIn, SignInRefused | ProviderUnavailable | StoreUnavailable>
}>()("@tapeline/core/access/ProviderSignIn") {
  static readonly layer = (
    { redirectUri, beginsAt, ...admission }: ProviderSignInOptions
  ): Layer.Layer<ProviderSignIn, never, IdentityProvider | IdentityStore | Sessions> =>
    Layer.effect(
      ProviderSignIn,
      Effect.gen(function*() {
        const [provider, store, sessions] = yield* Effect.all([IdentityProvider, IdentityStore, Sessions])
        const askedBy = ({ nonce, state, verifier }: Attempt): Asked => ({ redirectUri, state, nonce, verifier })

        const vouchedFor = Effect.fnUntraced(function*(attempt: Attempt, query: string) {
          const vouched = yield* provider.vouch(askedBy(attempt), query)
          if (isSoundSubject(vouched.subject)) return vouched
          return yield* new NotVouched({ how: "unsound", reason: "the subject is none that can be kept" })
        })

        return ProviderSignIn.of({
          label: provider.label,
          beginsAt,
          begin: Effect.gen(function*() {
            const attempt = yield* newAttempt(yield* Clock.currentTimeMillis)
            return { url: yield* provider.authorize(askedBy(attempt)), text: attempt.text }
          }).pipe(Effect.withSpan("ProviderSignIn.begin")),
          accountOf: sessions.accountOf,
          waiting: (texts) => Effect.map(Clock.currentTimeMillis, (now) => freshAttempts(texts, now)),
          answered: (waiting, query) => {
            const state = stateIn(query)
            return state === undefined ? Effect.undefined : attemptWith(waiting, state)
          },
          finish: Effect.fn("ProviderSignIn.finish")(
            function*(attempt, query, arrival) {
              const { claims, issuer, subject } = yield* vouchedFor(attempt, query)
              const account = yield* store.admit({
                issuer,
                subject,
                answer: attempt.answer,
                keepMs: answerKeepMs,
                name: nameOf(claims),
                plan: planOf(admission, claims),
                now: null
              })
              // Accounts are never taken away: one that was found just now is there.
              return yield* Effect.catchTag(sessions.open(account.id, "openid", arrival), "UnknownAccount", Effect.die)
            },
            Effect.catchTags({
              AnswerUsed: () => Effect.fail(new SignInRefused({ reason: "used" })),
              NotAdmitted: () => Effect.fail(new SignInRefused({ reason: "no_account" })),
              NotVouched: (error) =>
                Effect.andThen(
                  error.how === "denied" ? Effect.void : Effect.logWarning(error.message),
                  Effect.fail(new SignInRefused({ reason: error.how }))
                )
            })
          )
        })
      })
    )
}
