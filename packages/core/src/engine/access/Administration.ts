import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Ledger } from "../credits/Ledger.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type { Account, AccountStatus, KeyRecord } from "./account.ts"
import { AdminStore, type EventType } from "./AdminStore.ts"
import { Authenticator } from "./Authenticator.ts"
import { sha256 } from "./hash.ts"
import { displayPrefix, generateKey } from "./key.ts"
import {
  type AccountChange,
  type AccountClosed,
  type ExpiryPassed,
  type ExternalIdTaken,
  KeyLimit,
  KeyStore,
  type PageAfter,
  UnknownAccount,
  UnknownKey
} from "./KeyStore.ts"
import { type PlanNotConfigured, Plans, plansWithMoreKeys, type UnknownPlan } from "./plan.ts"
import type { Scope } from "./scope.ts"
import type { InvalidSession } from "./sessions/InvalidSession.ts"
import { SessionStore } from "./sessions/SessionStore.ts"

const statusEvents = {
  active: "account.reactivated",
  suspended: "account.suspended",
  closed: "account.closed"
} as const satisfies Readonly<Record<AccountStatus, EventType>>

/** Returns the fields of an account that events contain. */
const describeAccount = ({ externalId, metadata, name, plan, status, statusReason }: Account) => ({
  name,
  plan,
  external_id: externalId,
  metadata,
  status,
  status_reason: statusReason
})

/** Returns the fields of a key that events contain. */
const describeKey = ({ expiresAt, name, prefix, scopes }: KeyRecord) => ({
  name,
  prefix,
  scopes,
  expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString()
})

/** Returns the entries of `after` that differ from `before`, with their values in both. */
const changedFields = <A extends object>(
  before: A,
  after: A
): { readonly before: Partial<A>; readonly after: Partial<A> } => {
  const names = Object.keys(after).filter((name) =>
    JSON.stringify(Reflect.get(before, name)) !== JSON.stringify(Reflect.get(after, name))
  )
  const pick = (value: A) => Object.fromEntries(names.map((name) => [name, Reflect.get(value, name)])) as Partial<A>
  return { before: pick(before), after: pick(after) }
}

/**
 * Manages accounts, plans and API keys for the operator. Changes take effect on this node immediately. Each change is
 * one transaction with its event.
 */
export class Administration extends Context.Service<Administration, {
  readonly createAccount: (
    account: {
      readonly name: string
      readonly plan: string
      readonly externalId?: string | undefined
      readonly metadata?: Readonly<Record<string, string>> | undefined
    }
  ) => Effect.Effect<Account, UnknownPlan | ExternalIdTaken | StoreUnavailable>
  readonly account: (id: number) => Effect.Effect<Account, UnknownAccount | StoreUnavailable>
  /** Returns a page of accounts, oldest account first. */
  readonly accounts: (page: PageAfter) => Effect.Effect<ReadonlyArray<Account>, StoreUnavailable>
  /** Returns the account with the given external id, or null if no account has the external id. */
  readonly accountByExternalId: (externalId: string) => Effect.Effect<Account | null, StoreUnavailable>
  /**
   * Changes the given fields of an account. The credits that were already used this month still count after a change
   * of the plan. A closed account loses all its keys and sessions.
   */
  readonly updateAccount: (
    id: number,
    change: AccountChange & { readonly plan?: string | undefined }
  ) => Effect.Effect<Account, UnknownAccount | UnknownPlan | ExternalIdTaken | AccountClosed | StoreUnavailable>
  /** Revokes all keys and ends all sessions of an account, and returns the numbers of revoked keys and ended sessions. */
  readonly revokeAll: (
    account: number
  ) => Effect.Effect<
    { readonly keys: number; readonly sessions: number },
    UnknownAccount | StoreUnavailable
  >
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
  static readonly layer: Layer.Layer<Administration, never, AdminStore | KeyStore | Plans | Ledger | Authenticator> =
    Layer.effect(
      Administration,
      Effect.gen(function*() {
        const store = yield* KeyStore
        const plans = yield* Plans
        const ledger = yield* Ledger
        const authenticator = yield* Authenticator
        const adminStore = yield* AdminStore
        const sessionStore = yield* Effect.serviceOption(SessionStore)

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

        const record = (
          type: EventType,
          account: number,
          target: string | null,
          change: { readonly before: object | null; readonly after: object | null }
        ) =>
          adminStore.record([{ type, account, target, ...change as { readonly before: null; readonly after: null } }])

        /** Runs a change of an account in one transaction, and invalidates the cached access data of the account. */
        const changeAccess = <A, E>(account: number, change: Effect.Effect<A, E>) =>
          Effect.tap(adminStore.transact(change), () => authenticator.invalidate(account))

        const revokeAll = Effect.fnUntraced(function*(account: number) {
          const keys = yield* store.revokeAllKeys(account, null)
          const sessions = Option.isNone(sessionStore) ? 0 : yield* sessionStore.value.endAll(account, null, null)
          return { keys, sessions }
        })

        return Administration.of({
          createAccount: Effect.fn("Administration.createAccount")(function*({ externalId, metadata, name, plan }) {
            yield* plans.get(plan)
            return yield* adminStore.transact(Effect.tap(
              store.createAccount({ name, plan, externalId, metadata, now: null }),
              (account) =>
                record("account.created", account.id, null, { before: null, after: describeAccount(account) })
            ))
          }),
          account: store.account,
          accounts: store.accounts,
          accountByExternalId: store.accountByExternalId,
          updateAccount: Effect.fn("Administration.updateAccount")(function*(id, { plan, ...change }) {
            if (plan !== undefined) yield* plans.get(plan)
            return yield* changeAccess(
              id,
              Effect.gen(function*() {
                const updated = yield* store.updateAccount(id, change)
                const { before } = updated
                const after = { ...updated.after, plan: plan ?? before.plan }
                if (after.plan !== before.plan) yield* ledger.changePlan(id, after.plan)
                const fields = changedFields(describeAccount(before), describeAccount(after))
                const isStatusChanged = before.status !== after.status
                if (isStatusChanged && after.status === "closed") yield* revokeAll(id)
                if (Object.keys(fields.after).length > 0) {
                  yield* record(isStatusChanged ? statusEvents[after.status] : "account.updated", id, null, fields)
                }
                return after
              })
            )
          }),
          revokeAll: Effect.fn("Administration.revokeAll")(function*(account) {
            return yield* changeAccess(
              account,
              Effect.gen(function*() {
                yield* store.account(account)
                const revoked = yield* revokeAll(account)
                yield* record("access.revoked", account, null, { before: null, after: revoked })
                return revoked
              })
            )
          }),
          issueKey: Effect.fn("Administration.issueKey")(function*({ account, expiresAt, name, scopes, session }) {
            const { keys: limit } = yield* plans.forAccount(yield* store.account(account))
            const key = generateKey()
            const newKey = {
              account,
              name,
              scopes,
              prefix: displayPrefix(key),
              hash: yield* sha256(key),
              expiresAt: expiresAt ?? null,
              limit,
              now: null,
              session
            }
            const issued = yield* adminStore.transact(Effect.tap(
              withUpgrades(store.createKey(newKey)),
              (issued) =>
                record("key.issued", account, `key ${issued.id}`, { before: null, after: describeKey(issued) })
            ))
            return { record: issued, key: Redacted.make(key) }
          }),
          keys: store.keys,
          keyOf: Effect.fn("Administration.keyOf")(function*(account, id) {
            const key = yield* store.key(id)
            return key.account === account ? key : yield* new UnknownKey({ key: id })
          }),
          updateKey: Effect.fn("Administration.updateKey")(function*(id, { expiresAt: at, scopes, session }) {
            const expiry = at === undefined ? undefined : { at, limit: yield* keyLimitOf(id), now: null }
            const before = yield* store.key(id)
            return yield* changeAccess(
              before.account,
              Effect.gen(function*() {
                const after = yield* withUpgrades(store.updateKey(id, { scopes, expiry, session }))
                const fields = changedFields(describeKey(before), describeKey(after))
                if (Object.keys(fields.after).length > 0) {
                  yield* record("key.updated", after.account, `key ${id}`, fields)
                }
                return after
              })
            )
          }),
          revokeKey: Effect.fn("Administration.revokeKey")(function*(id) {
            const before = yield* store.key(id)
            return yield* changeAccess(
              before.account,
              Effect.gen(function*() {
                const after = yield* store.revokeKey(id, null)
                if (before.revokedAt === null) {
                  yield* record("key.revoked", after.account, `key ${id}`, { before: describeKey(before), after: null })
                }
                return after
              })
            )
          })
        })
      })
    )
}
