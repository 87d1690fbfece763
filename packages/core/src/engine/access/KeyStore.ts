import { Context, Effect, Schema, type Stream } from "effect"
import { say } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import type { Account, KeyRecord } from "./account.ts"
import type { Scope } from "./scope.ts"
import type { InvalidSession } from "./sessions/InvalidSession.ts"

/** There is no account of that id. */
export class UnknownAccount extends Schema.TaggedError<UnknownAccount>()("UnknownAccount", { account: Schema.Int }) {
  override get message(): string {
    return say({ key: "unknown_account", params: { id: this.account } }, "en")
  }
}

/** There is no key of that id. */
export class UnknownKey extends Schema.TaggedError<UnknownKey>()("UnknownKey", { key: Schema.Int }) {
  override get message(): string {
    return say({ key: "unknown_key", params: { id: this.key } }, "en")
  }
}

/** The account's plan allows no further live key. Revoke one, or choose a plan with more than `limit`. */
export class KeyLimit extends Schema.TaggedError<KeyLimit>()("KeyLimit", {
  limit: Schema.Int,
  /** Plans that allow more, fewest first; a store knows of none. */
  upgrades: Schema.Array(Schema.Struct({ plan: Schema.String, keys: Schema.Int })).pipe(
    Schema.withConstructorDefault(Effect.succeed([]))
  )
}) {
  override get message(): string {
    return say({ key: "key_limit", params: { limit: this.limit } }, "en")
  }
}

/** An expiry that lies behind would make a dead key. Give one that lies ahead, or revoke the key. */
export class ExpiryPassed extends Schema.TaggedError<ExpiryPassed>()("ExpiryPassed", { expiresAt: Schema.Number }) {
  override get message(): string {
    return say({ key: "issue_expected", params: { expected: say({ key: "expected_future" }, "en") } }, "en")
  }
}

/** What a change of accounts or keys makes stale: one account, or, after an interruption, everything. */
export type AccessChange = { readonly _tag: "Account"; readonly account: number } | { readonly _tag: "Everything" }

/** A part of a list that grows: what stands after the id `after` (0 for the beginning), `limit` of it at most. */
export interface Page {
  readonly after: number
  /** At least 1. */
  readonly limit: number
}

/** Accounts that are on one plan: how many, and the first few of their ids. */
export interface PlanUse {
  readonly plan: string
  readonly accounts: number
  readonly first: ReadonlyArray<number>
}

/** What is asked to change of a key; what is left out stays. */
export interface KeyChange {
  readonly scopes?: ReadonlyArray<Scope> | undefined
  /** A new expiry, null for none; with the plan's limit of live keys, and the instant at which they are counted. */
  readonly expiry?: { readonly at: number | null; readonly limit: number; readonly now: number | null } | undefined
  /** The session that makes the change, if a session does. */
  readonly session?: number | undefined
}

/** A key, with the account that it speaks for. */
export interface FoundKey {
  readonly key: KeyRecord
  readonly account: Account
  /**
   * How long until the key expires, ms, by the store's clock, so that a node with a wrong one ends nobody's key; null
   * without an expiry, 0 or less when it has passed.
   */
  readonly lifeMs: number | null
}

/**
 * Accounts and the keys that speak for them. Keys are found by the SHA-256 of their text, in lower-case hexadecimal;
 * the text itself never reaches a store. Ids are positive integers, ascending in the order of creation. Every method
 * may fail with `StoreUnavailable`; then nothing was changed, or the change is whole.
 *
 * **Time is the store's.** `now` is null everywhere but in tests: then the store's own clock says what it is, so that a
 * node with a wrong one makes no key too many, ends none and dates nothing wrong.
 *
 * **Accounts are shared with `LedgerStore`.** The two are two views of one store of accounts and must be given by one
 * adapter over one database: an account that is made here can reserve there at once; a plan is changed there, with the
 * allotment, and from then on every method here shows the new plan and `changes` tells of it. The contract suite of
 * this port holds the two to that.
 *
 * **A session that is over changes nothing.** `createKey` and `updateKey` fail with `InvalidSession` if `session` is
 * over or belongs to another account. The session cannot end between this check and the change.
 */
export class KeyStore extends Context.Service<KeyStore, {
  /** Makes an account. Names need not be unique. */
  readonly createAccount: (
    account: { readonly name: string; readonly plan: string; readonly now: number | null }
  ) => Effect.Effect<Account, StoreUnavailable>
  readonly account: (id: number) => Effect.Effect<Account, UnknownAccount | StoreUnavailable>
  /** Accounts, oldest first. */
  readonly accounts: (page: Page) => Effect.Effect<ReadonlyArray<Account>, StoreUnavailable>
  /** The plans that accounts are on and that are not among `known`, by name, with up to `few` ids of each. */
  readonly plansBeside: (
    known: ReadonlyArray<string>,
    few: number
  ) => Effect.Effect<ReadonlyArray<PlanUse>, StoreUnavailable>
  /**
   * Adds a key. Atomic with the count: however many ask at once, the account never has more than `limit` keys that
   * are neither revoked nor expired at `now`; past it, `KeyLimit`. An expiry at `now` or before is `ExpiryPassed`.
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
    /** The session that makes the key, if a session does. */
    readonly session?: number | undefined
  }) => Effect.Effect<KeyRecord, UnknownAccount | KeyLimit | ExpiryPassed | InvalidSession | StoreUnavailable>
  readonly key: (id: number) => Effect.Effect<KeyRecord, UnknownKey | StoreUnavailable>
  /** The account's keys, revoked ones too, oldest first. */
  readonly keys: (
    account: number,
    page: Page
  ) => Effect.Effect<ReadonlyArray<KeyRecord>, UnknownAccount | StoreUnavailable>
  /**
   * Changes what is given and leaves the rest. A revoked key may be changed, and stays revoked. A new expiry that
   * brings an expired key back to life is counted as `createKey` counts a new one, atomically: past the limit,
   * `KeyLimit`, and nothing was changed. One that the key was alive without is not counted. An expiry at `now` or
   * before is `ExpiryPassed`.
   */
  readonly updateKey: (
    id: number,
    change: KeyChange
  ) => Effect.Effect<KeyRecord, UnknownKey | KeyLimit | ExpiryPassed | InvalidSession | StoreUnavailable>
  /** Revokes a key for good. Revoking it again changes nothing and keeps the first time. */
  readonly revokeKey: (id: number, now: number | null) => Effect.Effect<KeyRecord, UnknownKey | StoreUnavailable>
  /** The key of each hash with its account, in order, revoked and expired ones too; null where there is none. */
  readonly findByHashes: (
    hashes: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<FoundKey | null>, StoreUnavailable>
  /**
   * Notes when keys were last used: so many ms before `now`. Never sets a time back; ids that are not there are passed
   * over. It waits for nobody: keys that somebody holds are given back, and their uses are not noted.
   */
  readonly touchKeys: (
    agoMs: ReadonlyMap<number, number>,
    now: number | null
  ) => Effect.Effect<ReadonlyArray<number>, StoreUnavailable>
  /**
   * What changes (plans, scopes, expiries, revocations), from every node that shares the store, from the moment of
   * subscription on. `Everything` stands for changes that may have been missed: it comes first, and after each
   * interruption of the channel. The stream never ends by itself and never fails.
   */
  readonly changes: Stream.Stream<AccessChange>
  /** True while `changes` hears the other nodes. While it is false, nothing cached may be trusted for long. */
  readonly hearsChanges: Effect.Effect<boolean>
}>()("@tapeline/core/access/KeyStore") {}
