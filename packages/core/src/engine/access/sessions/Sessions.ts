import { Context, Effect, Layer, Redacted } from "effect"
import type { StoreUnavailable } from "../../store/StoreUnavailable.ts"
import { sha256 } from "../hash.ts"
import type { KeyStore, Page, UnknownAccount } from "../KeyStore.ts"
import { secretText } from "../secretText.ts"
import type { InvalidSession } from "./InvalidSession.ts"
import { type AskedBy, makeOpenSessions, type OpenSession, sessionTexts } from "./openSessions.ts"
import { SessionSettings, wholeMs } from "./SessionSettings.ts"
import {
  LinkRefused,
  type Opening,
  type SessionEnd,
  type SessionRecord,
  SessionStore,
  type SignedInBy,
  type UnknownSession
} from "./SessionStore.ts"

const linkTexts = secretText("tl_link_")

/** The maximum number of sessions and links that one step deletes. The next steps delete the rest. */
const pruneBatch = 500

/** A new sign-in: the session, and the text that opens it. The text appears only in this result. */
export interface SignedIn {
  readonly session: SessionRecord
  readonly text: Redacted.Redacted<string>
}

/** The browser that signs in. */
export interface Arrival {
  /** The browser's description of itself. It is cut to 200 characters. */
  readonly device: string
  /** The text of a session that the browser held. That session ends. */
  readonly held?: string | undefined
}

/** Removes control characters, and half of a character that the cut may leave. */
const deviceOf = (device: string): string => device.replace(/\p{Cc}/gu, "").slice(0, 200).toWellFormed()

/**
 * Manages sign-in links, which work once, and sessions. A session acts for its account with all scopes. A recently used
 * session needs no store request. Rejections are not cached.
 */
export class Sessions extends Context.Service<Sessions, {
  /** Creates a link. The result is the only place where its text appears. */
  readonly createLink: (
    account: number
  ) => Effect.Effect<
    { readonly text: Redacted.Redacted<string>; readonly expiresAt: number },
    UnknownAccount | StoreUnavailable
  >
  readonly useLink: (text: string, arrival: Arrival) => Effect.Effect<SignedIn, LinkRefused | StoreUnavailable>
  /** Signs in a user whom another service authenticated. */
  readonly open: (
    account: number,
    by: Exclude<SignedInBy, "link">,
    arrival: Arrival
  ) => Effect.Effect<SignedIn, UnknownAccount | StoreUnavailable>
  /**
   * Returns the session of a text. If the text was replaced longer ago than the grace period, ends the session as
   * stolen. A request by `clock` gets the same access, but does not extend the session.
   */
  readonly authenticate: (
    text: string | undefined,
    by?: AskedBy
  ) => Effect.Effect<OpenSession, InvalidSession | StoreUnavailable>
  /**
   * True if the session of a text has not ended, even if the text was replaced since. For work that lasts longer than a
   * request. Does not count as a use of the session, and never as theft. Concurrent look-ups are batched.
   */
  readonly goesOn: (text: string) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Returns the account of the session that a text opened, even if the session has ended. Undefined for an unknown
   * text.
   */
  readonly accountOf: (text: string) => Effect.Effect<number | undefined, StoreUnavailable>
  /**
   * Offers a text that replaces a stale text when it is first used. Null if the store made no offer, for example
   * because another text was offered recently.
   */
  readonly renew: (text: string) => Effect.Effect<Redacted.Redacted<string> | null, StoreUnavailable>
  /** Returns the account's sessions, oldest first, including ended sessions. */
  readonly sessions: (
    account: number,
    page: Page
  ) => Effect.Effect<ReadonlyArray<SessionRecord>, UnknownAccount | StoreUnavailable>
  readonly end: (
    session: { readonly account: number; readonly id: number },
    how: Exclude<SessionEnd, "replaced" | "stolen">
  ) => Effect.Effect<SessionRecord, UnknownSession | StoreUnavailable>
  /** Ends all sessions of the account except `but`, or all if null. Also invalidates its unused links. */
  readonly endAll: (account: number, but: number | null) => Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/access/Sessions") {
  static readonly layer: Layer.Layer<Sessions, never, SessionStore | KeyStore> = Layer.effect(
    Sessions,
    Effect.gen(function*() {
      const [store, settings, known] = yield* Effect.all([SessionStore, SessionSettings, makeOpenSessions])
      yield* store.prune(wholeMs(settings.keep), pruneBatch, null).pipe(
        Effect.ignore,
        Effect.delay(settings.pruneEvery),
        Effect.forever,
        Effect.forkScoped
      )

      const opening = Effect.fnUntraced(function*({ device, held }: Arrival) {
        const text = sessionTexts.generate()
        const opens: Opening = {
          hash: yield* sha256(text),
          device: deviceOf(device),
          idleMs: wholeMs(settings.idle),
          lifeMs: wholeMs(settings.life),
          replaces: held !== undefined && sessionTexts.isWellFormed(held) ? yield* sha256(held) : null
        }
        return { opens, text: Redacted.make(text) }
      })

      return Sessions.of({
        authenticate: known.authenticate,
        goesOn: known.goesOn,
        accountOf: known.accountOf,
        createLink: Effect.fn("Sessions.createLink")(function*(account) {
          const text = linkTexts.generate()
          const link = { account, hash: yield* sha256(text), lifeMs: wholeMs(settings.linkLife), now: null }
          const { expiresAt } = yield* store.createLink(link)
          return { text: Redacted.make(text), expiresAt }
        }),
        useLink: Effect.fn("Sessions.useLink")(function*(link, arrival) {
          if (!linkTexts.isWellFormed(link)) return yield* new LinkRefused({ reason: "unknown" })
          const { opens, text } = yield* opening(arrival)
          return { session: yield* store.useLink(yield* sha256(link), opens, null), text }
        }),
        open: Effect.fn("Sessions.open")(function*(account, by, arrival) {
          const { opens, text } = yield* opening(arrival)
          return { session: yield* store.open(account, by, opens, null), text }
        }),
        renew: Effect.fn("Sessions.renew")(function*(current) {
          const text = sessionTexts.generate()
          const [hash, next] = yield* Effect.all([sha256(current), sha256(text)])
          const isOffered = yield* store.offer({ current: hash, next, everyMs: wholeMs(settings.grace) }, null)
          return isOffered ? Redacted.make(text) : null
        }),
        sessions: store.sessions,
        end: (session, how) =>
          Effect.tap(store.end(session, how, null), () => Effect.sync(() => known.forget(session.account))),
        endAll: (account, but) =>
          Effect.tap(store.endAll(account, but, null), () => Effect.sync(() => known.forget(account)))
      })
    })
  )
}
