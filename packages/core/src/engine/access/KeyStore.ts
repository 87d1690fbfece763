import { Context, Effect, Schema, type Stream } from "effect"
import { formatMessage } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type { Account, KeyRecord } from "./account.ts"
import type { Scope } from "./scope.ts"
import type { InvalidSession } from "./sessions/InvalidSession.ts"

/** No account has this id. */
export class UnknownAccount extends Schema.TaggedError<UnknownAccount>()("UnknownAccount", { account: Schema.Int }) {
  override get message(): string {
    return formatMessage({ key: "unknown_account", params: { id: this.account } }, "en")
  }
}

/** No key has this id. */
export class UnknownKey extends Schema.TaggedError<UnknownKey>()("UnknownKey", { key: Schema.Int }) {
  override get message(): string {
    return formatMessage({ key: "unknown_key", params: { id: this.key } }, "en")
  }
}

/** The account's plan allows no further live key. Revoke a key, or choose a plan whose limit is higher than `limit`. */
export class KeyLimit extends Schema.TaggedError<KeyLimit>()("KeyLimit", {
  limit: Schema.Int,
  /**
   * Plans with a higher limit, lowest limit first. Empty in an error of a store, because stores do not know the plans.
   */
  upgrades: Schema.Array(Schema.Struct({ plan: Schema.String, keys: Schema.Int })).pipe(
    Schema.withConstructorDefault(Effect.succeed([]))
  )
}) {
  override get message(): string {
    return formatMessage({ key: "key_limit", params: { limit: this.limit } }, "en")
  }
}

/** The expiry is in the past, so the key would never work. Choose a future expiry, or revoke the key. */
export class ExpiryPassed extends Schema.TaggedError<ExpiryPassed>()("ExpiryPassed", { expiresAt: Schema.Number }) {
  override get message(): string {
    return formatMessage({
      key: "issue_expected",
      params: { expected: formatMessage({ key: "expected_future" }, "en") }
    }, "en")
  }
}

/** The cached data that a change of accounts or keys invalidates: one account, or everything after an interruption. */
export type AccessChange = { readonly _tag: "Account"; readonly account: number } | { readonly _tag: "Everything" }

/** A page of a list that grows: at most `limit` entries with ids above `after` (0 for the first page). */
export interface PageAfter {
  readonly after: number
  /** At least 1. */
  readonly limit: number
}

/** A plan, the number of accounts on it, and the first few of their ids. */
export interface PlanAccounts {
  readonly plan: string
  readonly accounts: number
  readonly firstAccounts: ReadonlyArray<number>
}

/** The changes of a key. Omitted fields stay unchanged. */
export interface KeyChange {
  readonly scopes?: ReadonlyArray<Scope> | undefined
  /**
   * The new expiry, or null for no expiry, with the plan's limit of live keys and the time at which they are counted.
   */
  readonly expiry?: { readonly at: number | null; readonly limit: number; readonly now: number | null } | undefined
  /** The session that makes the change, if a session does. */
  readonly session?: number | undefined
}

/** A key and its account. */
export interface KeyWithAccount {
  readonly key: KeyRecord
  readonly account: Account
  /**
   * The time until the key expires, in ms, by the store's clock, so that a node with a wrong clock does not reject
   * valid keys. Null without an expiry; 0 or less if the key has expired.
   */
  readonly remainingMs: number | null
}

/**
 * Stores accounts and their API keys. Keys are found by the SHA-256 of their text, in lower-case hexadecimal. The text
 * itself never reaches a store. Ids are positive integers that ascend in the order of creation. Every method may fail
 * with `StoreUnavailable`. Then the change was applied either completely or not at all.
 *
 * **The store's clock is used.** `now` is null everywhere except in tests, and null means the store's own clock. A node
 * with a wrong clock thus cannot exceed the key limit, expire keys or record wrong times.
 *
 * **Accounts are shared with `LedgerStore`.** One adapter must provide both ports over one database. An account that is
 * created here can reserve credits there immediately. `LedgerStore` changes the plan together with the monthly credits.
 * From then on, every method here returns the new plan, and `changes` reports the account. The contract suite of this
 * port checks both ports.
 *
 * **An ended session cannot change keys.** `createKey` and `updateKey` fail with `InvalidSession` if `session` has
 * ended or belongs to another account. The session cannot end between this check and the change.
 */
export class KeyStore extends Context.Service<KeyStore, {
  /** Creates an account. Names need not be unique. */
  readonly createAccount: (
    account: { readonly name: string; readonly plan: string; readonly now: number | null }
  ) => Effect.Effect<Account, StoreUnavailable>
  readonly account: (id: number) => Effect.Effect<Account, UnknownAccount | StoreUnavailable>
  /** Returns accounts, oldest first. */
  readonly accounts: (page: PageAfter) => Effect.Effect<ReadonlyArray<Account>, StoreUnavailable>
  /** Returns the plans that accounts are on and that are not in `known`, by name, with up to `few` account ids each. */
  readonly plansOutside: (
    known: ReadonlyArray<string>,
    maxAccountIds: number
  ) => Effect.Effect<ReadonlyArray<PlanAccounts>, StoreUnavailable>
  /**
   * Adds a key. The count of live keys and the insertion are atomic, also for concurrent requests. If the account
   * already has `limit` keys that are neither revoked nor expired at `now`, fails with `KeyLimit`. Fails with
   * `ExpiryPassed` if the expiry is at or before `now`.
   */
  readonly createKey: (key: {
    readonly account: number
    readonly name: string
    readonly prefix: string
    readonly hash: string
    readonly scopes: ReadonlyArray<Scope>
    readonly expiresAt: number | null
    readonly limit: number
    readonly now: number | null
    /** The session that creates the key, if a session does. */
    readonly session?: number | undefined
  }) => Effect.Effect<KeyRecord, UnknownAccount | KeyLimit | ExpiryPassed | InvalidSession | StoreUnavailable>
  readonly key: (id: number) => Effect.Effect<KeyRecord, UnknownKey | StoreUnavailable>
  /** Returns the account's keys, oldest first, including revoked keys. */
  readonly keys: (
    account: number,
    page: PageAfter
  ) => Effect.Effect<ReadonlyArray<KeyRecord>, UnknownAccount | StoreUnavailable>
  /**
   * Changes the given fields of a key. A revoked key can be changed and stays revoked. If a new expiry makes an expired
   * key live again, the key is counted atomically, as in `createKey`. Past the limit, fails with `KeyLimit` and changes
   * nothing. A key that is live already is not counted. Fails with `ExpiryPassed` if the expiry is at or before `now`.
   */
  readonly updateKey: (
    id: number,
    change: KeyChange
  ) => Effect.Effect<KeyRecord, UnknownKey | KeyLimit | ExpiryPassed | InvalidSession | StoreUnavailable>
  /** Revokes a key permanently. A repeated revocation changes nothing and keeps the first time. */
  readonly revokeKey: (id: number, now: number | null) => Effect.Effect<KeyRecord, UnknownKey | StoreUnavailable>
  /**
   * Returns the key and account of each hash, in order, including revoked and expired keys. Null for an unknown hash.
   */
  readonly findByHashes: (
    hashes: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<KeyWithAccount | null>, StoreUnavailable>
  /**
   * Records when keys were last used, as ms before `now`. Never moves a time back, and skips unknown ids. Does not wait
   * for locks: returns the ids of locked keys, whose uses are not recorded.
   */
  readonly recordLastUses: (
    agesMs: ReadonlyMap<number, number>,
    now: number | null
  ) => Effect.Effect<ReadonlyArray<number>, StoreUnavailable>
  /**
   * The changes of plans, scopes, expiries and keys that any node of this store makes after the subscription.
   * `Everything` means that changes may have been missed. It is the first element, and follows each interruption of the
   * channel. The stream never ends and never fails.
   */
  readonly changes: Stream.Stream<AccessChange>
  /** True while `changes` receives the changes of other nodes. While false, cached data may be trusted only briefly. */
  readonly isReceivingChanges: Effect.Effect<boolean>
}>()("@tapeline/core/access/KeyStore") {}
