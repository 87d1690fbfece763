import { Context, Effect, Schema, type Stream } from "effect"
import { formatMessage } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type { Account, AccountStatus, KeyRecord } from "./account.ts"
import type { KeyEnded, RotationRunning } from "./keyLimits.ts"
import type { Scope } from "./scope.ts"
import type { InvalidSession } from "./sessions/InvalidSession.ts"

/** The error for an account id that does not exist. */
export class UnknownAccount extends Schema.TaggedError<UnknownAccount>()("UnknownAccount", { account: Schema.Int }) {
  override get message(): string {
    return formatMessage({ key: "unknown_account", params: { id: this.account } }, "en")
  }
}

/** The error for an external id that another account already has. */
export class ExternalIdTaken extends Schema.TaggedError<ExternalIdTaken>()("ExternalIdTaken", {
  externalId: Schema.String
}) {
  override get message(): string {
    return formatMessage({ key: "external_id_taken", params: { id: this.externalId } }, "en")
  }
}

/** The error for a change of the status of a closed account. A closed account stays closed. */
export class AccountClosed extends Schema.TaggedError<AccountClosed>()("AccountClosed", { account: Schema.Int }) {
  override get message(): string {
    return formatMessage({ key: "account_closed", params: { id: this.account } }, "en")
  }
}

/** The error for an API key id that does not exist. */
export class UnknownKey extends Schema.TaggedError<UnknownKey>()("UnknownKey", { key: Schema.Int }) {
  override get message(): string {
    return formatMessage({ key: "unknown_key", params: { id: this.key } }, "en")
  }
}

/** The error of an account that has reached its plan's limit of live API keys. */
export class KeyLimit extends Schema.TaggedError<KeyLimit>()("KeyLimit", {
  limit: Schema.Int,
  /** The plans with a higher key limit, lowest limit first; empty if a store created the error. */
  upgrades: Schema.Array(Schema.Struct({ plan: Schema.String, keys: Schema.Int })).pipe(
    Schema.withConstructorDefault(Effect.succeed([]))
  )
}) {
  override get message(): string {
    return formatMessage({ key: "key_limit", params: { limit: this.limit } }, "en")
  }
}

/** The requested expiry of a key is in the past, so the key would never work. */
export class ExpiryPassed extends Schema.TaggedError<ExpiryPassed>()("ExpiryPassed", { expiresAt: Schema.Number }) {
  override get message(): string {
    return formatMessage({
      key: "issue_expected",
      params: { expected: formatMessage({ key: "expected_future" }, "en") }
    }, "en")
  }
}

/** Identifies the accounts whose cached data is outdated: one account or all accounts. */
export type AccessChange = { readonly _tag: "Account"; readonly account: number } | { readonly _tag: "Everything" }

/** Selects a page of a list: at most `limit` entries with ids above `after`, which is 0 for the first page. */
export interface PageAfter {
  readonly after: number
  /** The maximum number of entries on the page, at least 1. */
  readonly limit: number
}

/** A plan, the number of accounts on the plan, and the ids of the first few of these accounts. */
export interface PlanAccounts {
  readonly plan: string
  readonly accounts: number
  readonly firstAccounts: ReadonlyArray<number>
}

/** The changed fields of an account. Fields that are omitted stay unchanged. */
export interface AccountChange {
  readonly name?: string | undefined
  /** The new external id; null removes the external id. */
  readonly externalId?: string | null | undefined
  /** The new metadata, which replaces all earlier metadata. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly status?: { readonly status: AccountStatus; readonly reason: string | null } | undefined
}

/** The changed fields of a key. Fields that are omitted stay unchanged. */
export interface KeyChange {
  readonly scopes?: ReadonlyArray<Scope> | undefined
  readonly requestsPerMinute?: number | null | undefined
  /** The new ranges of IP addresses, which replace all earlier ranges. */
  readonly allowedIps?: ReadonlyArray<string> | undefined
  /**
   * The change of the expiry: the new time `at`, or null for no expiry. `limit` is the plan's maximum number of live
   * keys.
   */
  readonly expiry?: { readonly at: number | null; readonly limit: number; readonly now: number | null } | undefined
  /** The id of the session that requests the change; undefined if no session requests the change. */
  readonly session?: number | undefined
}

/** A rotation of a key. */
export interface KeyRotation {
  /** The display prefix and the hash of the successor. */
  readonly prefix: string
  readonly hash: string
  /** The time in ms for which the key stays valid next to its successor, unless the key expires earlier. */
  readonly overlapMs: number
  /** The expiry of the successor; undefined for the lifetime of the key, from now. */
  readonly expiresAt: number | null | undefined
  readonly now: number | null
  readonly session?: number | undefined
}

/** An API key and its account. */
export interface KeyWithAccount {
  readonly key: KeyRecord
  readonly account: Account
  /**
   * The time in ms until the key expires, by the store's clock; null if the key never expires, 0 or less if it has
   * expired.
   */
  readonly remainingMs: number | null
}

/**
 * Stores accounts and their API keys. A store finds a key by the SHA-256 of the key's text, in lower-case hexadecimal,
 * and never receives the text. Ids are positive integers that ascend in the order of creation. If a method fails with
 * `StoreUnavailable`, its change was applied either completely or not at all.
 *
 * If `now` is null, the store uses its own clock. Only tests pass a `now` other than null. A wrong clock of a node
 * therefore has no effect on key limits, expiries or recorded times.
 *
 * One adapter must provide `KeyStore` and `LedgerStore` over one database. A new account can reserve credits
 * immediately. If `LedgerStore` changes an account's plan, every `KeyStore` method returns the new plan, and `changes`
 * reports the account.
 *
 * `LedgerStore.limitKey` changes the monthly credits of a key, which every `KeyStore` method returns.
 *
 * A key, its successor, the successor of its successor and so on are a chain of rotations. Valid keys of one chain
 * count as one key towards the key limit.
 *
 * `createKey`, `updateKey` and `rotateKey` fail with `InvalidSession` if `session` has ended or belongs to another
 * account. The session cannot end between the check of the session and the change of the key.
 */
export class KeyStore extends Context.Service<KeyStore, {
  /** Creates an active account. Several accounts may have the same name, but not the same external id. */
  readonly createAccount: (
    account: {
      readonly name: string
      readonly plan: string
      readonly externalId?: string | undefined
      readonly metadata?: Readonly<Record<string, string>> | undefined
      readonly now: number | null
    }
  ) => Effect.Effect<Account, ExternalIdTaken | StoreUnavailable>
  readonly account: (id: number) => Effect.Effect<Account, UnknownAccount | StoreUnavailable>
  /** Returns the account with the given external id, or null if no account has the external id. */
  readonly accountByExternalId: (externalId: string) => Effect.Effect<Account | null, StoreUnavailable>
  /**
   * Changes the given fields of an account, and returns the account before and after the change. The status of a closed
   * account cannot change.
   */
  readonly updateAccount: (
    id: number,
    change: AccountChange
  ) => Effect.Effect<
    { readonly before: Account; readonly after: Account },
    UnknownAccount | ExternalIdTaken | AccountClosed | StoreUnavailable
  >
  /** Returns a page of accounts, oldest account first. */
  readonly accounts: (page: PageAfter) => Effect.Effect<ReadonlyArray<Account>, StoreUnavailable>
  /**
   * Returns the plans that accounts use but that are not in `known`, sorted by plan name. Each plan lists at most
   * `maxAccountIds` account ids.
   */
  readonly plansOutside: (
    known: ReadonlyArray<string>,
    maxAccountIds: number
  ) => Effect.Effect<ReadonlyArray<PlanAccounts>, StoreUnavailable>
  /**
   * Adds a key. Counting the live keys and inserting the new key is atomic. Fails with `KeyLimit` if the account
   * already has `limit` keys that are neither revoked nor expired. Fails with `ExpiryPassed` if the expiry is at or
   * before `now`.
   */
  readonly createKey: (key: {
    readonly account: number
    readonly name: string
    readonly prefix: string
    readonly hash: string
    readonly scopes: ReadonlyArray<Scope>
    readonly requestsPerMinute?: number | null | undefined
    readonly allowedIps?: ReadonlyArray<string> | undefined
    readonly expiresAt: number | null
    readonly limit: number
    readonly now: number | null
    /** The id of the session that creates the key; undefined if no session creates the key. */
    readonly session?: number | undefined
  }) => Effect.Effect<KeyRecord, UnknownAccount | KeyLimit | ExpiryPassed | InvalidSession | StoreUnavailable>
  readonly key: (id: number) => Effect.Effect<KeyRecord, UnknownKey | StoreUnavailable>
  /** Returns a key, and locks its account until the current transaction ends. */
  readonly lockKey: (id: number) => Effect.Effect<KeyRecord, UnknownKey | StoreUnavailable>
  /** Returns a page of the account's keys, oldest key first, including revoked keys. */
  readonly keys: (
    account: number,
    page: PageAfter
  ) => Effect.Effect<ReadonlyArray<KeyRecord>, UnknownAccount | StoreUnavailable>
  /**
   * Changes the given fields of a key. A revoked key can still be changed, and stays revoked. If a new expiry makes an
   * expired key valid again, the key counts against the key limit, and the change may fail with `KeyLimit`. Counting
   * the keys and changing the key is one atomic operation. Fails with `ExpiryPassed` if the new expiry is at or before
   * `now`. Fails with `RotationRunning` if a later expiry would keep two keys of a chain valid.
   */
  readonly updateKey: (
    id: number,
    change: KeyChange
  ) => Effect.Effect<
    KeyRecord,
    UnknownKey | KeyLimit | ExpiryPassed | RotationRunning | InvalidSession | StoreUnavailable
  >
  /**
   * Creates a successor of a key, with the same name, scopes and limits, and lets the key expire after the overlap.
   * Tasks of the key become tasks of the successor. Fails with `KeyEnded` if the key is revoked or expired, and with
   * `RotationRunning` if another key of its chain is valid.
   */
  readonly rotateKey: (
    id: number,
    rotation: KeyRotation
  ) => Effect.Effect<
    { readonly key: KeyRecord; readonly successor: KeyRecord },
    UnknownKey | KeyEnded | RotationRunning | ExpiryPassed | InvalidSession | StoreUnavailable
  >
  /** Revokes a key permanently. A key that is already revoked stays unchanged. */
  readonly revokeKey: (id: number, now: number | null) => Effect.Effect<KeyRecord, UnknownKey | StoreUnavailable>
  /** Revokes all keys of an account permanently, and returns the number of keys that were not revoked before. */
  readonly revokeAllKeys: (account: number, now: number | null) => Effect.Effect<number, StoreUnavailable>
  /**
   * Returns the key and the account of each hash, in the order of `hashes`, or null for an unknown hash. The result
   * includes revoked and expired keys.
   */
  readonly findByHashes: (
    hashes: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<KeyWithAccount | null>, StoreUnavailable>
  /**
   * Records when keys were last used; `agesMs` maps key ids to ms before `now`. Never replaces a recorded time by an
   * earlier time, and ignores unknown ids. Skips keys that are locked in the store, and returns their ids.
   */
  readonly recordLastUses: (
    agesMs: ReadonlyMap<number, number>,
    now: number | null
  ) => Effect.Effect<ReadonlyArray<number>, StoreUnavailable>
  /**
   * Emits every change of a plan, status, scope, expiry or key that any node makes in this store. The stream emits
   * `Everything` first and after each interruption, because changes may have been missed. The stream of changes never
   * ends and never fails.
   */
  readonly changes: Stream.Stream<AccessChange>
  /**
   * Whether `changes` receives the changes that other nodes make. Without the changes of other nodes, this node may
   * trust cached keys only briefly.
   */
  readonly isReceivingChanges: Effect.Effect<boolean>
}>()("@tapeline/core/access/KeyStore") {}
