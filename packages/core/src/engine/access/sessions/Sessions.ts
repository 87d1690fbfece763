import { Context, Effect, Layer, Redacted } from "effect"
import type { StoreUnavailable } from "../../store/errors.ts"
import type { AccountSuspended } from "../AccountSuspended.ts"
import { AdminStore } from "../AdminStore.ts"
import { sha256 } from "../hash.ts"
import type { KeyStore, PageAfter, UnknownAccount } from "../KeyStore.ts"
import { tokenFormat } from "../tokenFormat.ts"
import type { InvalidSession } from "./InvalidSession.ts"
import { makeSessionCache, type OpenSession, type RequestOrigin, sessionTokens } from "./sessionCache.ts"
import { makeRecordSignIn, makeSignInFailures, otherSessionsEnded, sessionEnded } from "./sessionEvents.ts"
import { SessionSettings, toWholeMs } from "./SessionSettings.ts"
import {
  LinkRefused,
  type NewSession,
  type SessionEndReason,
  type SessionRecord,
  SessionStore,
  type SignInMethod,
  type UnknownSession
} from "./SessionStore.ts"

const linkTokens = tokenFormat("tl_link_")

const pruneBatch = 500

/** A new session and its token. */
export interface SignedIn {
  readonly session: SessionRecord
  readonly token: Redacted.Redacted<string>
}

/** The browser in which a user signs in. */
export interface SignInBrowser {
  /** The browser's description of itself, of which at most 200 characters are stored. */
  readonly device: string
  /** The browser's previous session token. The sign-in ends the session that the previous token belongs to. */
  readonly previousToken?: string | undefined
}

/**
 * Removes control characters and cuts the text to 200 UTF-16 units. A surrogate pair that the cut splits becomes
 * U+FFFD.
 */
const cleanDevice = (device: string): string => device.replace(/\p{Cc}/gu, "").slice(0, 200).toWellFormed()

/**
 * Manages sessions and sign-in links. A session acts for its account with all scopes. A recently used session needs no
 * store request. Rejections are not cached.
 */
export class Sessions extends Context.Service<Sessions, {
  /** Creates a sign-in link. The link's token occurs only in the result, and is not stored. */
  readonly createLink: (
    account: number
  ) => Effect.Effect<
    { readonly token: Redacted.Redacted<string>; readonly expiresAt: number },
    UnknownAccount | StoreUnavailable
  >
  readonly useLink: (token: string, browser: SignInBrowser) => Effect.Effect<SignedIn, LinkRefused | StoreUnavailable>
  /** Opens a session for a user whom another service authenticated. */
  readonly open: (
    account: number,
    method: Exclude<SignInMethod, "link">,
    browser: SignInBrowser
  ) => Effect.Effect<SignedIn, UnknownAccount | StoreUnavailable>
  /**
   * Returns the session of a session token. If the token was replaced longer ago than the grace period, ends the
   * session as stolen. A request with the origin `clock` does not count as a use of the session.
   */
  readonly authenticate: (
    token: string | undefined,
    origin?: RequestOrigin
  ) => Effect.Effect<OpenSession, InvalidSession | AccountSuspended | StoreUnavailable>
  /**
   * Returns whether the session of a token is active. A replaced token also identifies its session. `isActive` does not
   * count as a use of the session and does not detect a stolen token.
   */
  readonly isActive: (token: string) => Effect.Effect<boolean, StoreUnavailable>
  /** Returns the account of a token's session, even if the session has ended, or undefined for an unknown token. */
  readonly accountOf: (token: string) => Effect.Effect<number | undefined, StoreUnavailable>
  /**
   * Offers a next session token. When the next token is first used, it replaces the current token. Returns null if the
   * store offered no token, for example because it offered another token recently.
   */
  readonly renew: (token: string) => Effect.Effect<Redacted.Redacted<string> | null, StoreUnavailable>
  /** Returns a page of the account's sessions, oldest session first, including ended sessions. */
  readonly sessions: (
    account: number,
    page: PageAfter
  ) => Effect.Effect<ReadonlyArray<SessionRecord>, UnknownAccount | StoreUnavailable>
  readonly end: (
    session: { readonly account: number; readonly id: number },
    reason: Exclude<SessionEndReason, "replaced" | "stolen">
  ) => Effect.Effect<SessionRecord, UnknownSession | StoreUnavailable>
  /** Ends all sessions of the account except `except` (may be null), and invalidates its unused sign-in links. */
  readonly endAll: (account: number, except: number | null) => Effect.Effect<number, StoreUnavailable>
  /** Counts a failed sign-in for the event `sign_in.failed`. `reason` is one of a fixed set of texts. */
  readonly countFailure: (reason: string) => Effect.Effect<void>
}>()("@tapeline/core/access/Sessions") {
  static readonly layer: Layer.Layer<Sessions, never, AdminStore | SessionStore | KeyStore> = Layer.effect(
    Sessions,
    Effect.gen(function*() {
      const [adminStore, store, settings, sessionCache, recordSignIn, countFailure] = yield* Effect.all([
        AdminStore,
        SessionStore,
        SessionSettings,
        makeSessionCache,
        makeRecordSignIn,
        makeSignInFailures
      ])
      yield* store.prune(toWholeMs(settings.retention), pruneBatch, null).pipe(
        Effect.ignore,
        Effect.delay(settings.pruneInterval),
        Effect.forever,
        Effect.forkScoped
      )

      const prepareSession = Effect.fnUntraced(function*({ device, previousToken }: SignInBrowser) {
        const token = sessionTokens.generate()
        const newSession: NewSession = {
          hash: yield* sha256(token),
          device: cleanDevice(device),
          idleMs: toWholeMs(settings.idleTimeout),
          maxLifetimeMs: toWholeMs(settings.maxLifetime),
          replacedHash: previousToken !== undefined && sessionTokens.isWellFormed(previousToken)
            ? yield* sha256(previousToken)
            : null
        }
        return { newSession, token: Redacted.make(token) }
      })

      return Sessions.of({
        authenticate: sessionCache.authenticate,
        isActive: sessionCache.isActive,
        accountOf: sessionCache.accountOf,
        createLink: Effect.fn("Sessions.createLink")(function*(account) {
          const token = linkTokens.generate()
          const link = { account, hash: yield* sha256(token), lifetimeMs: toWholeMs(settings.linkLifetime), now: null }
          const { expiresAt } = yield* store.createLink(link)
          return { token: Redacted.make(token), expiresAt }
        }),
        useLink: Effect.fn("Sessions.useLink")(function*(linkToken, browser) {
          if (!linkTokens.isWellFormed(linkToken)) return yield* new LinkRefused({ reason: "unknown" })
          const { newSession, token } = yield* prepareSession(browser)
          const session = yield* recordSignIn(store.useLink(yield* sha256(linkToken), newSession, null))
          return { session, token }
        }, Effect.tapErrorTag("LinkRefused", ({ reason }) => countFailure(`link_${reason}`))),
        open: Effect.fn("Sessions.open")(function*(account, method, browser) {
          const { newSession, token } = yield* prepareSession(browser)
          return { session: yield* recordSignIn(store.open(account, method, newSession, null)), token }
        }),
        renew: Effect.fn("Sessions.renew")(function*(currentToken) {
          const nextToken = sessionTokens.generate()
          const [currentHash, nextHash] = yield* Effect.all([sha256(currentToken), sha256(nextToken)])
          const isOffered = yield* store.offerToken({
            current: currentHash,
            next: nextHash,
            minIntervalMs: toWholeMs(settings.renewalGrace)
          }, null)
          return isOffered ? Redacted.make(nextToken) : null
        }),
        sessions: store.sessions,
        end: ({ account, id }, reason) => {
          const end = Effect.gen(function*() {
            const page = { after: id - 1, limit: 1 }
            const [before] = yield* Effect.catchTag(
              store.sessions(account, page),
              "UnknownAccount",
              () => Effect.succeed([])
            )
            const ended = yield* store.end({ account, id }, reason, null)
            if (before?.ended === null) yield* adminStore.record([sessionEnded(account, id, reason)])
            return ended
          })
          return Effect.tap(adminStore.transact(end), () => Effect.sync(() => sessionCache.invalidate(account)))
        },
        endAll: (account, except) => {
          const end = Effect.tap(
            store.endAll(account, except, null),
            (ended) => ended === 0 ? Effect.void : adminStore.record([otherSessionsEnded(account, ended)])
          )
          return Effect.tap(adminStore.transact(end), () => Effect.sync(() => sessionCache.invalidate(account)))
        },
        countFailure
      })
    })
  )
}
