import { Context, Effect, Layer, Redacted } from "effect"
import { Ledger } from "../credits/Ledger.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type { Account, KeyRecord } from "./account.ts"
import { Authenticator } from "./Authenticator.ts"
import { sha256 } from "./hash.ts"
import { displayPrefix, generateKey } from "./key.ts"
import { type ExpiryPassed, KeyLimit, KeyStore, type PageAfter, UnknownAccount, UnknownKey } from "./KeyStore.ts"
import { type PlanNotConfigured, Plans, plansWithMoreKeys, type UnknownPlan } from "./plan.ts"
import type { Scope } from "./scope.ts"
import type { InvalidSession } from "./sessions/InvalidSession.ts"

/** Manages accounts, plans and API keys for the operator. Changes take effect on this node immediately. */
export class Administration extends Context.Service<Administration, {
  readonly createAccount: (
    account: { readonly name: string; readonly plan: string }
  ) => Effect.Effect<Account, UnknownPlan | StoreUnavailable>
  readonly account: (id: number) => Effect.Effect<Account, UnknownAccount | StoreUnavailable>
  /** Returns a page of accounts, oldest account first. */
  readonly accounts: (page: PageAfter) => Effect.Effect<ReadonlyArray<Account>, StoreUnavailable>
  /** Changes the plan of an account; the credits that were already used this month still count. */
  readonly changePlan: (
    account: number,
    plan: string
  ) => Effect.Effect<Account, UnknownAccount | UnknownPlan | StoreUnavailable>
  /** Creates an API key, or fails with `InvalidSession` if `session` has ended. */
  readonly issueKey: (key: {
    readonly account: number
    readonly name: string
    readonly scopes: ReadonlyArray<Scope>
    readonly expiresAt?: number | null | undefined
    readonly session?: number | undefined
  }) => Effect.Effect<
    { readonly record: KeyRecord; readonly key: Redacted.Redacted<string> },
    UnknownAccount | KeyLimit | ExpiryPassed | InvalidSession | PlanNotConfigured | StoreUnavailable
  >
  /** Returns a page of the account's keys, oldest key first, including revoked keys. */
  readonly keys: (
    account: number,
    page: PageAfter
  ) => Effect.Effect<ReadonlyArray<KeyRecord>, UnknownAccount | StoreUnavailable>
  /** Returns a key of the account. Fails with `UnknownKey` if the key does not exist or belongs to another account. */
  readonly keyOf: (
    account: number,
    id: number
  ) => Effect.Effect<KeyRecord, UnknownKey | StoreUnavailable>
  /**
   * Changes the given fields of a key. `expiresAt: null` removes the expiry of the key. An expired key that becomes
   * valid again counts towards the key limit. Fails with `InvalidSession` if `session` has ended.
   */
  readonly updateKey: (
    id: number,
    change: {
      readonly scopes?: ReadonlyArray<Scope> | undefined
      readonly expiresAt?: number | null | undefined
      readonly session?: number | undefined
    }
  ) => Effect.Effect<
    KeyRecord,
    UnknownKey | KeyLimit | ExpiryPassed | InvalidSession | PlanNotConfigured | StoreUnavailable
  >
  readonly revokeKey: (id: number) => Effect.Effect<KeyRecord, UnknownKey | StoreUnavailable>
}>()("@tapeline/core/access/Administration") {
  static readonly layer: Layer.Layer<Administration, never, KeyStore | Plans | Ledger | Authenticator> = Layer.effect(
    Administration,
    Effect.gen(function*() {
      const store = yield* KeyStore
      const plans = yield* Plans
      const ledger = yield* Ledger
      const authenticator = yield* Authenticator

      const keyLimitOf = Effect.fnUntraced(function*(key: number) {
        const { account } = yield* store.key(key)
        // The account exists, because accounts are never deleted.
        const found = yield* Effect.catchTag(store.account(account), "UnknownAccount", Effect.die)
        return (yield* plans.forAccount(found)).keys
      })

      /** Adds the plans with a higher key limit to a `KeyLimit` error. */
      const withUpgrades = <A, E>(operation: Effect.Effect<A, E | KeyLimit>): Effect.Effect<A, E | KeyLimit> =>
        Effect.mapError(operation, (error) =>
          error instanceof KeyLimit
            ? new KeyLimit({ limit: error.limit, upgrades: plansWithMoreKeys(plans.table, error.limit) })
            : error)

      return Administration.of({
        createAccount: Effect.fn("Administration.createAccount")(function*({ name, plan }) {
          yield* plans.get(plan)
          return yield* store.createAccount({ name, plan, now: null })
        }),
        account: store.account,
        accounts: store.accounts,
        changePlan: Effect.fn("Administration.changePlan")(function*(account, plan) {
          yield* plans.get(plan)
          const changed = yield* ledger.changePlan(account, plan)
          if (!changed) return yield* new UnknownAccount({ account })
          yield* authenticator.invalidate(account)
          return yield* store.account(account)
        }),
        issueKey: Effect.fn("Administration.issueKey")(function*({ account, expiresAt, name, scopes, session }) {
          const { keys: limit } = yield* plans.forAccount(yield* store.account(account))
          const key = generateKey()
          const record = yield* withUpgrades(store.createKey({
            account,
            name,
            scopes,
            prefix: displayPrefix(key),
            hash: yield* sha256(key),
            expiresAt: expiresAt ?? null,
            limit,
            now: null,
            session
          }))
          return { record, key: Redacted.make(key) }
        }),
        keys: store.keys,
        keyOf: Effect.fn("Administration.keyOf")(function*(account, id) {
          const key = yield* store.key(id)
          return key.account === account ? key : yield* new UnknownKey({ key: id })
        }),
        updateKey: Effect.fn("Administration.updateKey")(function*(id, { expiresAt: at, scopes, session }) {
          const expiry = at === undefined ? undefined : { at, limit: yield* keyLimitOf(id), now: null }
          const record = yield* withUpgrades(store.updateKey(id, { scopes, expiry, session }))
          yield* authenticator.invalidate(record.account)
          return record
        }),
        revokeKey: Effect.fn("Administration.revokeKey")(function*(id) {
          const record = yield* store.revokeKey(id, null)
          yield* authenticator.invalidate(record.account)
          return record
        })
      })
    })
  )
}
