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

/** The stored data of a session, without any session token, and with times in epoch milliseconds. */
export interface SessionRecord {
  readonly id: number
  readonly account: number
  readonly signInMethod: SignInMethod
  /** The browser's description of itself, by which users recognise the session. */
  readonly device: string
  readonly createdAt: number
  readonly lastUsedAt: number
  /** The time at which the session ends at the latest, or earlier without use for `idleMs`. */
  readonly endsAt: number
  readonly idleMs: number
  /** The time and reason of an early end of the session; null if the session was not ended early. */
  readonly ended: { readonly at: number; readonly reason: SessionEndReason } | null
}

/** Returns when a session expires unless the session is used again or ended early, in epoch ms. */
export const sessionExpiry = ({ endsAt, idleMs, lastUsedAt }: SessionRecord): number =>
  Math.min(endsAt, lastUsedAt + idleMs)

/** The data of a session that a sign-in opens. */
export interface NewSession {
  /** The SHA-256 of the session's first token. */
  readonly hash: string
  readonly device: string
  readonly idleMs: number
  readonly maxLifetimeMs: number
  /** The SHA-256 of the session token that the browser held before the sign-in, whose session ends. */
  readonly replacedHash: string | null
}

/** The state of a session token: `Current`, `Offered` as the next token, or replaced `replacedMsAgo` ms ago. */
export type SessionTokenState =
  | { readonly _tag: "Current"; readonly ageMs: number }
  | { readonly _tag: "Offered" }
  | { readonly _tag: "Past"; readonly replacedMsAgo: number }

/** The session of a session token, with the session's account. */
export interface SessionWithAccount {
  readonly session: SessionRecord
  readonly account: Account
  /** The remaining lifetime of the session in ms, by the store's clock; 0 or less after the end of the session. */
  readonly remainingMs: number
  readonly token: SessionTokenState
}

/**
 * Stores the sessions of signed-in users, and sign-in links. A store finds links and sessions by the SHA-256 of the
 * token, in lower-case hexadecimal, and never receives the token. Ids are positive integers that ascend in the order of
 * creation. Every method may fail with `StoreUnavailable`; then the change was applied either completely or not at all.
 *
 * **Clock.** `now` is null except in tests; null means the store's own clock.
 *
 * **Accounts.** Sessions belong to the accounts of `KeyStore` in the same database. `KeyStore.changes` reports the
 * account when a session ends, and when a session token is confirmed.
 *
 * **Tokens.** A session has one current token, and the store may offer a next token. The first use of an offered token
 * makes it the current token, so that a lost response does not end the session. The store remembers all tokens of a
 * session, so that the use of a replaced token is detected.
 */
export class SessionStore extends Context.Service<SessionStore, {
  /** Creates a sign-in link that signs in to the account once, within `lifetimeMs`, in addition to other links. */
  readonly createLink: (link: {
    readonly account: number
    readonly hash: string
    readonly lifetimeMs: number
    readonly now: number | null
  }) => Effect.Effect<{ readonly expiresAt: number }, UnknownAccount | StoreUnavailable>
  /** Uses a sign-in link and opens a session in one transaction, so that a link works only once. */
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
  /** Returns the session of each token hash, in order, also of ended sessions, or null for an unknown hash. */
  readonly findByHashes: (
    hashes: ReadonlyArray<string>,
    now: number | null
  ) => Effect.Effect<ReadonlyArray<SessionWithAccount | null>, StoreUnavailable>
  /**
   * Offers the next token to the session whose current token is `current`. Returns false and changes nothing if
   * `current` is no longer the current token, the session has ended, or another token was offered within
   * `minIntervalMs`. An older offered token that was never used counts as replaced.
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
  /** Ends a session of the account permanently, unless the session has already ended. */
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
   * Deletes at most `limit` sessions that ended, and at most `limit` sign-in links that were used or expired, at least
   * `retentionMs` ago. Skips locked records, and returns the number of deleted sessions and links.
   */
  readonly prune: (retentionMs: number, limit: number, now: number | null) => Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/access/SessionStore") {}
