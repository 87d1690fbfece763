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

/** Links and sessions that are dropped in one step; what it leaves is dropped by the next ones. */
const pruneBatch = 500

/** Somebody who has just signed in: the session, and the text that opens it, which is in this answer alone. */
export interface SignedIn {
  readonly session: SessionRecord
  readonly text: Redacted.Redacted<string>
}

/** Who signs in from where. */
export interface Arrival {
  /** What the browser calls itself; it is cut to 200 characters. */
  readonly device: string
  /** The text of a session that the browser held: that one ends. */
  readonly held?: string | undefined
}

/** Without control characters, and without the half of one character that the cut leaves. */
const deviceOf = (device: string): string => device.replace(/\p{Cc}/gu, "").slice(0, 200).toWellFormed()

/**
 * People who signed in: links that let in once, and sessions. A session speaks for its account in all scopes. One that
 * was seen lately costs no look at the store; refusals are not remembered.
 */
export class Sessions extends Context.Service<Sessions, {
  /** Makes a link. Its text is in the answer and nowhere else. */
  readonly createLink: (
    account: number
  ) => Effect.Effect<
    { readonly text: Redacted.Redacted<string>; readonly expiresAt: number },
    UnknownAccount | StoreUnavailable
  >
  readonly useLink: (text: string, arrival: Arrival) => Effect.Effect<SignedIn, LinkRefused | StoreUnavailable>
  /** Signs in somebody whom another one vouches for. */
  readonly open: (
    account: number,
    by: Exclude<SignedInBy, "link">,
    arrival: Arrival
  ) => Effect.Effect<SignedIn, UnknownAccount | StoreUnavailable>
  /**
   * Whose session the text is of. One that was replaced longer ago than the grace ends the session: it was stolen. What
   * a page's clock asks opens as much, and keeps no session from its end.
   */
  readonly authenticate: (
    text: string | undefined,
    by?: AskedBy
  ) => Effect.Effect<OpenSession, InvalidSession | StoreUnavailable>
  /**
   * Whether the session is not over that a text opened before, whatever became of the text since: for what lasts longer
   * than a request. It is no use of the session, and no theft. Look-ups that come together travel together.
   */
  readonly goesOn: (text: string) => Effect.Effect<boolean, StoreUnavailable>
  /** The account of the session that a text opened, also if the session is over. Undefined for a text of no session. */
  readonly accountOf: (text: string) => Effect.Effect<number | undefined, StoreUnavailable>
  /** The text that replaces a stale one once it is shown; null when another one was offered of late. */
  readonly renew: (text: string) => Effect.Effect<Redacted.Redacted<string> | null, StoreUnavailable>
  /** The account's sessions, oldest first, those that are over too. */
  readonly sessions: (
    account: number,
    page: Page
  ) => Effect.Effect<ReadonlyArray<SessionRecord>, UnknownAccount | StoreUnavailable>
  readonly end: (
    session: { readonly account: number; readonly id: number },
    how: Exclude<SessionEnd, "replaced" | "stolen">
  ) => Effect.Effect<SessionRecord, UnknownSession | StoreUnavailable>
  /** Ends all of the account's sessions but one, or all; what links still wait are used up. */
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
