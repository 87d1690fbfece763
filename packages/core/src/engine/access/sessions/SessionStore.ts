import { Context, type Effect, Schema } from "effect"
import { formatMessage } from "../../messages/language.ts"
import type { StoreUnavailable } from "../../store/errors.ts"
import type { Account } from "../account.ts"
import type { PageAfter, UnknownAccount } from "../KeyStore.ts"

/** The error for a session id that does not exist, or that belongs to another account. */
export class UnknownSession extends Schema.TaggedError<UnknownSession>()("UnknownSession", { session: Schema.Int }) {
  override get message(): string {
    return formatMessage({ key: "unknown_session", params: { id: this.session } }, "en")
  }
}

/** The error for a sign-in link that does not exist, was used before, or has expired. */
export class LinkRefused extends Schema.TaggedError<LinkRefused>()("LinkRefused", {
  reason: Schema.Literals(["unknown", "used", "expired"])
}) {
  override get message(): string {
    return formatMessage({ key: `link_${this.reason}` }, "en")
  }
}

/** The method by which a user signed in: a sign-in link, or an OpenID provider. */
export type SignInMethod = "link" | "openid"

/**
 * The reason why a session ended early.
 *
 * - `signed_out`: the owner signed out.
 * - `revoked`: the owner ended the session from another session.
 * - `replaced`: a new sign-in of the same browser replaced the session.
 * - `stolen`: a replaced session token was used, so two parties hold tokens of the session.
 */
export type SessionEndReason = "signed_out" | "revoked" | "replaced" | "stolen"

/** The stored data of a session. The data contains no session token, and its times are in epoch milliseconds. */
export interface SessionRecord {
  readonly id: number
  readonly account: number
  readonly signInMethod: SignInMethod
  /** The browser's description of itself. Users recognise their sessions by `device`. */
  readonly device: string
  readonly createdAt: number
  readonly lastUsedAt: number
  /** The latest time at which the session ends. The session ends earlier if it is not used for `idleMs`. */
  readonly endsAt: number
  readonly idleMs: number
  /** The time and reason of an early end of the session; null if the session was not ended early. */
  readonly ended: { readonly at: number; readonly reason: SessionEndReason } | null
}

/** Returns the time (epoch ms) at which a session expires if it is not used again. */
export const sessionExpiry = ({ endsAt, idleMs, lastUsedAt }: SessionRecord): number =>
  Math.min(endsAt, lastUsedAt + idleMs)

/** The data of a session that a sign-in opens. */
export interface NewSession {
  /** The SHA-256 of the session's first token. */
  readonly hash: string
  readonly device: string
  readonly idleMs: number
  readonly maxLifetimeMs: number
  /**
   * The SHA-256 of the browser's previous session token. The sign-in ends the session that the previous token belongs
   * to.
   */
  readonly replacedHash: string | null
}

/** Whether a session token is the current token, was offered as the next token, or was replaced. */
export type SessionTokenState =
  | { readonly _tag: "Current"; readonly ageMs: number }
  | { readonly _tag: "Offered" }
  | { readonly _tag: "Past"; readonly replacedMsAgo: number }

/** A session token's session and account. */
export interface SessionWithAccount {
  readonly session: SessionRecord
  readonly account: Account
  /** The remaining lifetime of the session in ms, by the store's clock; 0 or less after the end of the session. */
  readonly remainingMs: number
  /** The time in ms since the user signed in, by the store's clock. */
  readonly ageMs: number
  readonly token: SessionTokenState
}

/**
 * Stores the sessions of signed-in users, and sign-in links. A store finds links and sessions by the SHA-256 of the
 * token, in lower-case hexadecimal, and never receives the token. Ids are positive integers that ascend in the order of
 * creation. If a method fails with `StoreUnavailable`, its change was applied either completely or not at all.
 *
 * If `now` is null, the store uses its own clock. Only tests pass a `now` other than null.
 *
 * Sessions belong to the accounts of `KeyStore` in the same database. `KeyStore.changes` reports the account when a
 * session ends, and when an offered session token becomes the current token.
 *
 * A session has one current token, and the store may offer a next token. An offered token becomes the current token on
 * its first use. A lost response therefore does not end the session. The store remembers all tokens of a session to
 * detect the use of a replaced token.
 */
export class SessionStore extends Context.Service<SessionStore, {
  /** Creates a sign-in link for one sign-in within `lifetimeMs`. Other sign-in links of the account stay valid. */
  readonly createLink: (link: {
    readonly account: number
    readonly hash: string
    readonly lifetimeMs: number
    readonly now: number | null
  }) => Effect.Effect<{ readonly expiresAt: number }, UnknownAccount | StoreUnavailable>
  /** Uses a sign-in link and opens a session, in one transaction. A sign-in link works only once. */
  readonly useLink: (
    hash: string,
    newSession: NewSession,
    now: number | null
  ) => Effect.Effect<SessionRecord, LinkRefused | StoreUnavailable>
  /** Opens a session for a sign-in without a sign-in link. */
  readonly open: (
    account: number,
    method: Exclude<SignInMethod, "link">,
    newSession: NewSession,
    now: number | null
  ) => Effect.Effect<SessionRecord, UnknownAccount | StoreUnavailable>
  /**
   * Returns the session of each token hash, in the order of `hashes`, or null for an unknown hash. The result includes
   * ended sessions.
   */
  readonly findByHashes: (
    hashes: ReadonlyArray<string>,
    now: number | null
  ) => Effect.Effect<ReadonlyArray<SessionWithAccount | null>, StoreUnavailable>
  /**
   * Offers the next token to the session whose current token is `current`. Returns false and changes nothing if
   * `current` is not the current token, the session has ended, or another token was offered within `minIntervalMs`. A
   * token that was offered earlier and never used counts as replaced.
   */
  readonly offerToken: (
    tokens: { readonly current: string; readonly next: string; readonly minIntervalMs: number },
    now: number | null
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** Makes an offered token the current token, and does nothing for any other token. */
  readonly confirmToken: (hash: string, now: number | null) => Effect.Effect<void, StoreUnavailable>
  /** Records when sessions were last used, like `KeyStore.recordLastUses`, and returns the ids of locked sessions. */
  readonly recordLastUses: (
    agesMs: ReadonlyMap<number, number>,
    now: number | null
  ) => Effect.Effect<ReadonlyArray<number>, StoreUnavailable>
  /** Ends a session of the account permanently. An ended session stays unchanged. */
  readonly end: (
    session: { readonly account: number; readonly id: number },
    reason: SessionEndReason,
    now: number | null
  ) => Effect.Effect<SessionRecord, UnknownSession | StoreUnavailable>
  /**
   * Ends all live sessions of the account except the session `except`, and returns the number of ended sessions.
   * Invalidates the account's unused sign-in links.
   */
  readonly endAll: (
    account: number,
    except: number | null,
    now: number | null
  ) => Effect.Effect<number, StoreUnavailable>
  /** Returns a page of the account's sessions, oldest session first, including ended sessions. */
  readonly sessions: (
    account: number,
    page: PageAfter
  ) => Effect.Effect<ReadonlyArray<SessionRecord>, UnknownAccount | StoreUnavailable>
  /**
   * Deletes sessions that ended, and sign-in links that were used or expired, at least `retentionMs` ago. At most
   * `limit` sessions and at most `limit` links are deleted. Skips locked rows. Returns the number of deleted sessions
   * and links.
   */
  readonly prune: (retentionMs: number, limit: number, now: number | null) => Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/access/SessionStore") {}
