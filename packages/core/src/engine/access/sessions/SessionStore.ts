import { Context, type Effect, Schema } from "effect"
import { say } from "../../messages/language.ts"
import type { StoreUnavailable } from "../../store/StoreUnavailable.ts"
import type { Account } from "../account.ts"
import type { Page, UnknownAccount } from "../KeyStore.ts"

/** There is no session of that id, or it is another account's. */
export class UnknownSession extends Schema.TaggedError<UnknownSession>()("UnknownSession", { session: Schema.Int }) {
  override get message(): string {
    return say({ key: "unknown_session", params: { id: this.session } }, "en")
  }
}

/** A link signs nobody in: nobody made it, it was used before, or its time has passed. Ask for a new one. */
export class LinkRefused extends Schema.TaggedError<LinkRefused>()("LinkRefused", {
  reason: Schema.Literals(["unknown", "used", "expired"])
}) {
  override get message(): string {
    return say({ key: `link_${this.reason}` }, "en")
  }
}

/** How somebody signed in. */
export type SignedInBy = "link" | "openid"

/**
 * Why a session ended before its time: its owner signed out, or ended it from another one; a new sign-in of the same
 * browser took its place; or a text was shown that had been replaced, so that two hold the session and one stole it.
 */
export type SessionEnd = "signed_out" | "revoked" | "replaced" | "stolen"

/** What is kept of a session: never a text that opens it. Times are epoch milliseconds. */
export interface SessionRecord {
  readonly id: number
  readonly account: number
  readonly by: SignedInBy
  /** What the browser calls itself, to recognise the session by. */
  readonly device: string
  readonly createdAt: number
  readonly lastUsedAt: number
  /** It ends by itself here, or so long after its last use, whichever comes first. */
  readonly endsAt: number
  readonly idleMs: number
  /** When it was ended before its time, and why. */
  readonly ended: { readonly at: number; readonly how: SessionEnd } | null
}

/** When a session expires, unless it is used again or ended before: epoch ms. */
export const sessionExpiry = ({ endsAt, idleMs, lastUsedAt }: SessionRecord): number =>
  Math.min(endsAt, lastUsedAt + idleMs)

/** What opens with a sign-in. */
export interface Opening {
  /** The SHA-256 of its first text. */
  readonly hash: string
  readonly device: string
  readonly idleMs: number
  readonly lifeMs: number
  /** The SHA-256 of a text of the session that the same browser held: it ends, whoever's it is. */
  readonly replaces: string | null
}

/**
 * How a text stands among its session's own: `current`; `offered` as the next one, which nobody has shown yet; or
 * `past`, replaced so many ms ago.
 */
export type TextState =
  | { readonly _tag: "Current"; readonly ageMs: number }
  | { readonly _tag: "Offered" }
  | { readonly _tag: "Past"; readonly agoMs: number }

/** The session that a text is of, with the account that it speaks for. */
export interface FoundSession {
  readonly session: SessionRecord
  readonly account: Account
  /** How long it lives on by itself, ms, by the store's clock; 0 or less when it has run out or was ended. */
  readonly lifeMs: number
  readonly text: TextState
}

/**
 * Sessions of people who signed in, and the links by which they do. Texts reach no store: links and sessions are found
 * by the SHA-256 of their text, in lower-case hexadecimal. Ids are positive integers, ascending in the order of
 * creation. Every method may fail with `StoreUnavailable`; then nothing was changed, or the change is whole.
 *
 * **Time is the store's**, as `KeyStore` says; `now` is null everywhere but in tests. **Accounts are `KeyStore`'s**, of
 * the same database; its `changes` tells of an account whose sessions end, and of one whose text was confirmed.
 *
 * **A session has one current text.** A next one may be offered beside it, and takes its place when it is first shown:
 * an offer whose answer was lost costs nobody a session. Every text that a session ever had is known as long as the
 * session is, so that one that is shown after it was replaced is recognised.
 */
export class SessionStore extends Context.Service<SessionStore, {
  /** Makes a link that signs in to the account, once, for so long. Others that wait stay as they are. */
  readonly createLink: (link: {
    readonly account: number
    readonly hash: string
    readonly lifeMs: number
    readonly now: number | null
  }) => Effect.Effect<{ readonly expiresAt: number }, UnknownAccount | StoreUnavailable>
  /** Uses a link up and opens a session, in one step: of many who show it at once one is let in. */
  readonly useLink: (
    hash: string,
    opens: Opening,
    now: number | null
  ) => Effect.Effect<SessionRecord, LinkRefused | StoreUnavailable>
  /** Opens a session of who signed in elsewhere. */
  readonly open: (
    account: number,
    by: Exclude<SignedInBy, "link">,
    opens: Opening,
    now: number | null
  ) => Effect.Effect<SessionRecord, UnknownAccount | StoreUnavailable>
  /** The session of each hash, in order, ended ones too; null where there is none. */
  readonly findByHashes: (
    hashes: ReadonlyArray<string>,
    now: number | null
  ) => Effect.Effect<ReadonlyArray<FoundSession | null>, StoreUnavailable>
  /**
   * Offers the session of the current text `current` the next one. False, and nothing is changed, when `current` is
   * not its current text any more, the session is over, or another was offered in the last `everyMs`. An older offer
   * that nobody has shown counts as replaced from now on.
   */
  readonly offer: (
    texts: { readonly current: string; readonly next: string; readonly everyMs: number },
    now: number | null
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** An offered text becomes the current one, and the one before is past from now on. Else nothing is changed. */
  readonly confirm: (hash: string, now: number | null) => Effect.Effect<void, StoreUnavailable>
  /**
   * Notes when sessions were last used, as `KeyStore.touchKeys` does of keys: never backwards, what is not there is
   * passed over, and what somebody holds is given back.
   */
  readonly touch: (
    agoMs: ReadonlyMap<number, number>,
    now: number | null
  ) => Effect.Effect<ReadonlyArray<number>, StoreUnavailable>
  /** Ends the account's session for good. To end it again changes nothing and keeps the first time and reason. */
  readonly end: (
    session: { readonly account: number; readonly id: number },
    how: SessionEnd,
    now: number | null
  ) => Effect.Effect<SessionRecord, UnknownSession | StoreUnavailable>
  /** Ends all sessions of the account that live, but for one; gives how many. Links that wait are used up as well. */
  readonly endAll: (
    account: number,
    but: number | null,
    now: number | null
  ) => Effect.Effect<number, StoreUnavailable>
  /** The account's sessions, oldest first, ended ones too for as long as they are kept. */
  readonly sessions: (
    account: number,
    page: Page
  ) => Effect.Effect<ReadonlyArray<SessionRecord>, UnknownAccount | StoreUnavailable>
  /**
   * Forgets at most `limit` sessions that have been over for `keepMs`, with their texts, and as many links that were
   * used or expired so long ago; gives how many of both. Passes over what somebody holds.
   */
  readonly prune: (keepMs: number, limit: number, now: number | null) => Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/access/SessionStore") {}
