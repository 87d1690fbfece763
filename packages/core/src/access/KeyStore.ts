import { Context, type Effect, Schema, type Stream } from "effect"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import type { Account, KeyRecord } from "./account.ts"
import type { Scope } from "./scope.ts"

/** There is no account of that id. */
export class UnknownAccount extends Schema.TaggedError<UnknownAccount>()("UnknownAccount", { account: Schema.Int }) {}

/** There is no key of that id. */
export class UnknownKey extends Schema.TaggedError<UnknownKey>()("UnknownKey", { key: Schema.Int }) {}

/** The account's plan allows no further live key. Revoke one, or choose a plan with more than `limit`. */
export class KeyLimit extends Schema.TaggedError<KeyLimit>()("KeyLimit", { limit: Schema.Int }) {}

/** What a change of accounts or keys makes stale: one account, or, after an interruption, everything. */
export type AccessChange = { readonly _tag: "Account"; readonly account: number } | { readonly _tag: "Everything" }

/**
 * Accounts and the keys that speak for them. Keys are found by the SHA-256 of their text, in lower-case hexadecimal;
 * the text itself never reaches a store. Ids are positive integers, ascending in the order of creation. Every method
 * may fail with `StoreUnavailable`; then nothing was changed, or the change is whole.
 */
export class KeyStore extends Context.Service<KeyStore, {
  /** Makes an account. Names need not be unique. */
  readonly createAccount: (
    account: { readonly name: string; readonly plan: string; readonly now: number }
  ) => Effect.Effect<Account, StoreUnavailable>
  readonly account: (id: number) => Effect.Effect<Account, UnknownAccount | StoreUnavailable>
  /** Every account, oldest first. */
  readonly accounts: Effect.Effect<ReadonlyArray<Account>, StoreUnavailable>
  /**
   * Adds a key. Atomic with the count: however many ask at once, the account never has more than `limit` keys that
   * are neither revoked nor expired at `now`; past it, `KeyLimit`.
   */
  readonly createKey: (key: {
    readonly account: number
    readonly name: string
    readonly prefix: string
    readonly hash: string
    readonly scopes: ReadonlyArray<Scope>
    readonly expiresAt: number | null
    readonly limit: number
    readonly now: number
  }) => Effect.Effect<KeyRecord, UnknownAccount | KeyLimit | StoreUnavailable>
  /** The account's keys, revoked ones too, oldest first. */
  readonly keys: (account: number) => Effect.Effect<ReadonlyArray<KeyRecord>, UnknownAccount | StoreUnavailable>
  /** Changes what is given and leaves the rest; `expiresAt: null` takes an expiry away. A revoked key may be changed, and stays revoked. */
  readonly updateKey: (
    id: number,
    change: { readonly scopes?: ReadonlyArray<Scope> | undefined; readonly expiresAt?: number | null | undefined }
  ) => Effect.Effect<KeyRecord, UnknownKey | StoreUnavailable>
  /** Revokes a key for good. Revoking it again changes nothing and keeps the first time. */
  readonly revokeKey: (id: number, now: number) => Effect.Effect<KeyRecord, UnknownKey | StoreUnavailable>
  /** The key of that hash with its account, revoked and expired ones too; null when there is none. */
  readonly findByHash: (
    hash: string
  ) => Effect.Effect<{ readonly key: KeyRecord; readonly account: Account } | null, StoreUnavailable>
  /** Notes when keys were last used. Never sets a time back; ids that are not there are passed over. */
  readonly touchKeys: (uses: ReadonlyMap<number, number>) => Effect.Effect<void, StoreUnavailable>
  /**
   * What changes (plans, scopes, expiries, revocations), from every node that shares the store, from the moment of
   * subscription on. `Everything` stands for changes that may have been missed: it comes first, and after each
   * interruption of the channel. The stream never ends by itself and never fails.
   */
  readonly changes: Stream.Stream<AccessChange>
  /** True while `changes` hears the other nodes. While it is false, nothing cached may be trusted for long. */
  readonly hearsChanges: Effect.Effect<boolean>
}>()("@tapeline/core/access/KeyStore") {}
