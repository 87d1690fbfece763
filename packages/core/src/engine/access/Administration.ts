import { Context, Effect, Layer, Option, Redacted } from "effect"
import type { AdjustmentRequest } from "../credits/adjustment.ts"
import { Ledger } from "../credits/Ledger.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type { Account, AccountStatus, KeyRecord } from "./account.ts"
import { type AdjustmentError, type MadeAdjustment, makeAdjustCredits } from "./adjustCredits.ts"
import { AdminStore, type EventFields, type EventType } from "./AdminStore.ts"
import { Authenticator } from "./Authenticator.ts"
import { sha256 } from "./hash.ts"
import { displayPrefix, generateKey } from "./key.ts"
import type { KeyEnded, KeyLimits, RotationRunning } from "./keyLimits.ts"
import {
  type AccountChange,
  AccountClosed,
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
const describeAccount = ({ externalId, metadata, name, plan, status, statusReason }: Account): EventFields => ({
  name,
  plan,
  external_id: externalId,
  metadata,
  status,
  status_reason: statusReason
})

/** Returns the fields of a key that events contain. */
const describeKey = (key: KeyRecord): EventFields => ({
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  monthly_credits: key.monthlyCredits,
  requests_per_minute: key.requestsPerMinute,
  allowed_ips: key.allowedIps,
  expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString()
})

/** Returns the entries of `after` that differ from `before`, with their values in both. */
const changedFields = (before: EventFields, after: EventFields) => {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const pick = (fields: EventFields): EventFields => Object.fromEntries(names.map((name) => [name, fields[name]!]))
  return { before: pick(before), after: pick(after) }
}

/** The services that are needed to change accounts and keys. */
interface Services {
  readonly store: KeyStore["Service"]
  readonly plans: Plans["Service"]
  readonly ledger: Ledger["Service"]
  readonly authenticator: Authenticator["Service"]
  readonly adminStore: AdminStore["Service"]
  readonly sessionStore: Option.Option<SessionStore["Service"]>
}

const recordChange = (
  { adminStore }: Services,
  type: EventType,
  account: number,
  target: string | null,
  change: { readonly before: EventFields | null; readonly after: EventFields | null }
) => adminStore.record([{ type, account, target, ...change }])

/** Runs a change of an account in one transaction, and invalidates the cached access data of the account. */
const changeAccess = <A, E>({ adminStore, authenticator }: Services, account: number, change: Effect.Effect<A, E>) =>
  Effect.tap(adminStore.transact(change), () => authenticator.invalidate(account))

const revokeKeysAndSessions = Effect.fnUntraced(function*({ sessionStore, store }: Services, account: number) {
  const keys = yield* store.revokeAllKeys(account, null)
  const sessions = Option.isNone(sessionStore) ? 0 : yield* sessionStore.value.endAll(account, null, null)
  return { keys, sessions }
})

type AccountMethods = Pick<Administration["Service"], "createAccount" | "updateAccount" | "revokeAll">

const makeAccountMethods = (services: Services): AccountMethods => {
  const { adminStore, ledger, plans, store } = services
  const updateAccount = Effect.fnUntraced(function*(id: number, change: AccountChange, plan: string | undefined) {
    const updated = yield* store.updateAccount(id, change)
    const { before } = updated
    const after = { ...updated.after, plan: plan ?? before.plan }
    if (after.plan !== before.plan) yield* ledger.changePlan(id, after.plan)
    const fields = changedFields(describeAccount(before), describeAccount(after))
    const isStatusChanged = before.status !== after.status
    if (isStatusChanged && after.status === "closed") yield* revokeKeysAndSessions(services, id)
    if (Object.keys(fields.after).length > 0) {
      const type = isStatusChanged ? statusEvents[after.status] : "account.updated"
      yield* recordChange(services, type, id, null, fields)
    }
    return after
  })
  const revokeAll = Effect.fnUntraced(function*(account: number) {
    yield* store.account(account)
    const revoked = yield* revokeKeysAndSessions(services, account)
    yield* recordChange(services, "access.revoked", account, null, { before: null, after: revoked })
    return revoked
  })
  return {
    createAccount: Effect.fn("Administration.createAccount")(function*({ externalId, metadata, name, plan }) {
      yield* plans.get(plan)
      return yield* adminStore.transact(Effect.tap(
        store.createAccount({ name, plan, externalId, metadata, now: null }),
        (account) =>
          recordChange(services, "account.created", account.id, null, {
            before: null,
            after: describeAccount(account)
          })
      ))
    }),
    updateAccount: Effect.fn("Administration.updateAccount")(function*(id, { plan, ...change }) {
      if (plan !== undefined) yield* plans.get(plan)
      return yield* changeAccess(services, id, updateAccount(id, change, plan))
    }),
    revokeAll: Effect.fn("Administration.revokeAll")((account) => changeAccess(services, account, revokeAll(account)))
  }
}

type KeyMethods = Pick<Administration["Service"], "issueKey" | "keyOf" | "updateKey" | "rotateKey" | "revokeKey">

const makeKeyMethods = (services: Services): KeyMethods => {
  const { adminStore, authenticator, ledger, plans, store } = services
  const keyLimitOf = Effect.fnUntraced(function*(account: number) {
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

  const recordKey = (type: EventType, { account, id }: KeyRecord, change: Parameters<typeof recordChange>[4]) =>
    recordChange(services, type, account, `key ${id}`, change)

  /** Runs a change of a key in a transaction that locks the key's account. `before` is the key before the change. */
  const changeKey = <A, E>(id: number, change: (before: KeyRecord) => Effect.Effect<A, E>) =>
    adminStore.transact(
      Effect.flatMap(store.lockKey(id), (before) => Effect.map(change(before), (after) => ({ before, after })))
    ).pipe(
      Effect.tap(({ before }) => authenticator.invalidate(before.account)),
      Effect.map(({ after }) => after)
    )

  /** Changes the monthly credits of a key, unless they are undefined. */
  const limitCredits = (monthlyCredits: number | null | undefined) => (key: KeyRecord) =>
    monthlyCredits === undefined
      ? Effect.succeed(key)
      : Effect.as(ledger.limitKey(key.id, monthlyCredits), { ...key, monthlyCredits })

  return {
    issueKey: Effect.fn("Administration.issueKey")(function*({ account, expiresAt = null, monthlyCredits, ...fields }) {
      const found = yield* store.account(account)
      if (found.status === "closed") return yield* new AccountClosed({ account })
      const { keys: limit } = yield* plans.forAccount(found)
      const key = generateKey()
      const [prefix, hash] = [displayPrefix(key), yield* sha256(key)]
      const newKey = { ...fields, account, prefix, hash, expiresAt, limit, now: null }
      const record = yield* adminStore.transact(Effect.tap(
        Effect.flatMap(withUpgrades(store.createKey(newKey)), limitCredits(monthlyCredits ?? undefined)),
        (issued) => recordKey("key.issued", issued, { before: null, after: describeKey(issued) })
      ))
      return { record, key: Redacted.make(key) }
    }),
    keyOf: Effect.fn("Administration.keyOf")(function*(account, id) {
      const key = yield* store.key(id)
      return key.account === account ? key : yield* new UnknownKey({ key: id })
    }),
    updateKey: Effect.fn("Administration.updateKey")((id, { expiresAt: at, monthlyCredits, ...change }) =>
      changeKey(
        id,
        Effect.fnUntraced(function*(before) {
          const expiry = at === undefined ? undefined : { at, limit: yield* keyLimitOf(before.account), now: null }
          // The order of locks is accounts, months, keys.
          yield* limitCredits(monthlyCredits)(before)
          const after = yield* withUpgrades(store.updateKey(id, { ...change, expiry }))
          const fields = changedFields(describeKey(before), describeKey(after))
          if (Object.keys(fields.after).length > 0) yield* recordKey("key.updated", after, fields)
          return after
        })
      )
    ),
    rotateKey: Effect.fn("Administration.rotateKey")(function*(id, { expiresAt, overlapMs, session }) {
      const key = generateKey()
      const [prefix, hash] = [displayPrefix(key), yield* sha256(key)]
      const rotated = yield* changeKey(id, (before) =>
        Effect.tap(
          store.rotateKey(id, { prefix, hash, overlapMs, expiresAt, now: null, session }),
          ({ key: after, successor }) =>
            recordKey("key.rotated", after, {
              before: describeKey(before),
              after: { ...describeKey(after), successor: successor.id, successor_prefix: successor.prefix }
            })
        ))
      return { record: rotated.successor, key: Redacted.make(key), previous: rotated.key }
    }),
    revokeKey: Effect.fn("Administration.revokeKey")((id) =>
      changeKey(id, (before) =>
        Effect.tap(
          store.revokeKey(id, null),
          before.revokedAt === null
            ? recordKey("key.revoked", before, { before: describeKey(before), after: null })
            : Effect.void
        ))
    )
  }
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
  /** Revokes all keys and ends all sessions of an account, and returns their numbers. */
  readonly revokeAll: (
    account: number
  ) => Effect.Effect<
    { readonly keys: number; readonly sessions: number },
    UnknownAccount | StoreUnavailable
  >
  /** Creates an API key, or fails with `InvalidSession` if `session` has ended. */
  readonly issueKey: (
    key: {
      readonly account: number
      readonly name: string
      readonly scopes: ReadonlyArray<Scope>
      readonly expiresAt?: number | null | undefined
      readonly session?: number | undefined
    } & { readonly [K in keyof KeyLimits]?: KeyLimits[K] | undefined }
  ) => Effect.Effect<
    { readonly record: KeyRecord; readonly key: Redacted.Redacted<string> },
    UnknownAccount | AccountClosed | KeyLimit | ExpiryPassed | InvalidSession | PlanNotConfigured | StoreUnavailable
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
    } & { readonly [K in keyof KeyLimits]?: KeyLimits[K] | undefined }
  ) => Effect.Effect<
    KeyRecord,
    UnknownKey | KeyLimit | ExpiryPassed | RotationRunning | InvalidSession | PlanNotConfigured | StoreUnavailable
  >
  /**
   * Issues a successor of a key, with the same name, scopes and limits. The old key stays valid for `overlapMs`. The
   * successor shares the monthly credits of the old key. `expiresAt` is the expiry of the successor, by default the
   * same lifetime.
   */
  readonly rotateKey: (
    id: number,
    rotation: {
      readonly overlapMs: number
      readonly expiresAt?: number | null | undefined
      readonly session?: number | undefined
    }
  ) => Effect.Effect<
    { readonly record: KeyRecord; readonly key: Redacted.Redacted<string>; readonly previous: KeyRecord },
    UnknownKey | KeyEnded | RotationRunning | ExpiryPassed | InvalidSession | StoreUnavailable
  >
  readonly revokeKey: (id: number) => Effect.Effect<KeyRecord, UnknownKey | StoreUnavailable>
  /** Grants credits, refunds a call, or corrects an account balance, and records the event `credits.adjusted`. */
  readonly adjustCredits: (
    request: AdjustmentRequest
  ) => Effect.Effect<MadeAdjustment, AdjustmentError | StoreUnavailable>
}>()("@tapeline/core/access/Administration") {
  static readonly layer: Layer.Layer<Administration, never, AdminStore | KeyStore | Plans | Ledger | Authenticator> =
    Layer.effect(
      Administration,
      Effect.gen(function*() {
        const services: Services = {
          store: yield* KeyStore,
          plans: yield* Plans,
          ledger: yield* Ledger,
          authenticator: yield* Authenticator,
          adminStore: yield* AdminStore,
          sessionStore: yield* Effect.serviceOption(SessionStore)
        }
        const { account, accountByExternalId, accounts, keys } = services.store
        return Administration.of({
          account,
          accounts,
          accountByExternalId,
          keys,
          adjustCredits: makeAdjustCredits(services.ledger, services.adminStore),
          ...makeAccountMethods(services),
          ...makeKeyMethods(services)
        })
      })
    )
}
