import { Context, type Effect, Schema } from "effect"
import { formatMessage } from "../../messages/language.ts"
import type { StoreUnavailable } from "../../store/errors.ts"
import type { Account } from "../account.ts"
import type { PageAfter, UnknownAccount } from "../KeyStore.ts"

/** No session has this id, or the session belongs to another account. */
export class UnknownSession extends Schema.TaggedError<UnknownSession>()("UnknownSession", { session: Schema.Int }) {
  override get message(): string {
    return formatMessage({ key: "unknown_session", params: { id: this.session } }, "en")
  }
}

/** The link cannot be used: it does not exist, was used before, or has expired. Request a new link. */
export class LinkRefused extends Schema.TaggedError<LinkRefused>()("LinkRefused", {
  reason: Schema.Literals(["unknown", "used", "expired"])
}) {
  override get message(): string {
    return formatMessage({ key: `link_${this.reason}` }, "en")
  }
}

/** The method by which a user signed in. */
export type SignInMethod = "link" | "openid"

/**
 * The reason why a session ended early.
 *
 * - `signed_out`: its owner signed out.
 * - `revoked`: its owner ended it from another session.
 * - `replaced`: a new sign-in of the same browser took its place.
 * - `stolen`: a replaced text was used, so two parties hold the session.
 */
export type SessionEndReason = "signed_out" | "revoked" | "replaced" | "stolen"

/** The stored data of a session, without any text that opens it. Times are epoch milliseconds. */
export interface SessionRecord {
  readonly id: number
  readonly account: number
  readonly signInMethod: SignInMethod
  /** The browser's description of itself, by which users recognise the session. */
  readonly device: string
  readonly createdAt: number
  readonly lastUsedAt: number
  /** The session ends at `endsAt`, or `idleMs` after its last use, whichever is first. */
  readonly endsAt: number
  readonly idleMs: number
  /** When and why the session was ended early. Null if it was not. */
  readonly ended: { readonly at: number; readonly reason: SessionEndReason } | null
}

/** When a session expires unless it is used again or ended early, in epoch ms. */
export const sessionExpiry = ({ endsAt, idleMs, lastUsedAt }: SessionRecord): number =>
  Math.min(endsAt, lastUsedAt + idleMs)

/** The data of a session that a sign-in opens. */
export interface NewSession {
  /** The SHA-256 of the session's first text. */
  readonly hash: string
  readonly device: string
  readonly idleMs: number
  readonly maxLifetimeMs: number
  /**
   * The SHA-256 of a text of the session that the same browser held. That session ends, whichever account it belongs
   * to.
   */
  readonly replacedHash: string | null
}

/**
 * The state of a text of a session: the current text, the next text that was offered but not used yet, or a past text
 * that was replaced `agoMs` ago.
 */
export type SessionTokenState =
  | { readonly _tag: "Current"; readonly ageMs: number }
  | { readonly _tag: "Offered" }
  | { readonly _tag: "Past"; readonly replacedMsAgo: number }

/** The session of a text, with its account. */
export interface SessionWithAccount {
  readonly session: SessionRecord
  readonly account: Account
  /** The remaining lifetime in ms, by the store's clock. 0 or less if the session has expired or was ended. */
  readonly remainingMs: number
  readonly token: SessionTokenState
}

/**
 * Stores the sessions of signed-in users, and sign-in links. Links and sessions are found by the SHA-256 of their text,
 * in lower-case hexadecimal. The text itself never reaches a store. Ids are positive integers that ascend in the order
 * of creation. Every method may fail with `StoreUnavailable`. Then the change was applied either completely or not at
 * all.
 *
 * **The store's clock is used**, as in `KeyStore`; `now` is null everywhere except in tests. **Accounts are those of
 * `KeyStore`** in the same database. `KeyStore.changes` reports the account when a session ends, and when a text is
 * confirmed.
 *
 * **A session has one current text.** A next text may be offered in addition. It becomes the current text when it is
 * first used, so that a lost response does not end the session. All texts of a session stay known as long as the
 * session, so that the use of a replaced text is recognised.
 */
export class SessionStore extends Context.Service<SessionStore, {
  /** Creates a link that signs in to the account once, within `maxLifetimeMs`. Other unused links stay valid. */
  readonly createLink: (link: {
    readonly account: number
    readonly hash: string
    readonly lifetimeMs: number
    readonly now: number | null
  }) => Effect.Effect<{ readonly expiresAt: number }, UnknownAccount | StoreUnavailable>
  /** Uses a link and opens a session in one transaction. If a link is used concurrently, only one request succeeds. */
  readonly useLink: (
    hash: string,
    newSession: NewSession,
    now: number | null
  ) => Effect.Effect<SessionRecord, LinkRefused | StoreUnavailable>
  /** Opens a session for a sign-in without a link. */
  readonly open: (
    account: number,
    method: Exclude<SignInMethod, "link">,
    newSession: NewSession,
    now: number | null
  ) => Effect.Effect<SessionRecord, UnknownAccount | StoreUnavailable>
  /** Returns the session of each hash, in order, including ended sessions. Null for an unknown hash. */
  readonly findByHashes: (
    hashes: ReadonlyArray<string>,
    now: number | null
  ) => Effect.Effect<ReadonlyArray<SessionWithAccount | null>, StoreUnavailable>
  /**
   * Offers a next text to the session whose current text is `current`. Returns false and changes nothing in three
   * cases: `current` is no longer the current text, the session has ended, or another text was offered within
   * `minIntervalMs`. An older offer that was never used counts as replaced.
   */
  readonly offerToken: (
    tokens: { readonly current: string; readonly next: string; readonly minIntervalMs: number },
    now: number | null
  ) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Makes an offered text the current text; the previous text is past. If the text is not on offer, changes nothing.
   */
  readonly confirmToken: (hash: string, now: number | null) => Effect.Effect<void, StoreUnavailable>
  /**
   * Records when sessions were last used, like `KeyStore.recordLastUses`. Never moves a time back, skips unknown ids,
   * and returns the ids of locked sessions.
   */
  readonly recordLastUses: (
    agesMs: ReadonlyMap<number, number>,
    now: number | null
  ) => Effect.Effect<ReadonlyArray<number>, StoreUnavailable>
  /** Ends a session of the account permanently. A repeated end changes nothing and keeps the first time and reason. */
  readonly end: (
    session: { readonly account: number; readonly id: number },
    reason: SessionEndReason,
    now: number | null
  ) => Effect.Effect<SessionRecord, UnknownSession | StoreUnavailable>
  /**
   * Ends all live sessions of the account except `but`, and returns their number. Also invalidates its unused links.
   */
  readonly endAll: (
    account: number,
    except: number | null,
    now: number | null
  ) => Effect.Effect<number, StoreUnavailable>
  /** Returns the account's sessions, oldest first, including ended sessions for as long as they are kept. */
  readonly sessions: (
    account: number,
    page: PageAfter
  ) => Effect.Effect<ReadonlyArray<SessionRecord>, UnknownAccount | StoreUnavailable>
  /**
   * Deletes at most `limit` sessions that ended at least `retentionMs` ago, with their texts. Also deletes at most
   * `limit` links that were used or expired as long ago. Returns the total number, and skips locked records.
   */
  readonly prune: (retentionMs: number, limit: number, now: number | null) => Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/access/SessionStore") {}
