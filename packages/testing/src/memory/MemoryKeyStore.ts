import {
  type AccessChange,
  type Account,
  AccountClosed,
  ExpiryPassed,
  ExternalIdTaken,
  InvalidSession,
  KeyEnded,
  KeyLimit,
  type KeyRecord,
  KeyStore,
  newAccountFields,
  type PageAfter,
  RotationRunning,
  UnknownAccount,
  UnknownKey
} from "@tapeline/core/engine"
import { Clock, Effect, Layer, PubSub, Stream } from "effect"
import { MemoryState } from "./MemoryState.ts"
import { getEndTime } from "./sessionTables.ts"

const everythingChanged: AccessChange = { _tag: "Everything" }

const isLive = ({ expiresAt, revokedAt }: KeyRecord, now: number): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now)

const getRemainingLife = ({ expiresAt }: KeyRecord, now: number): number | null =>
  expiresAt === null ? null : expiresAt - now

const isRevivedBy = (key: KeyRecord, at: number | null, now: number): boolean =>
  !isLive(key, now) && isLive({ ...key, expiresAt: at }, now)

const hasPassed = (expiresAt: number | null, now: number): expiresAt is number => expiresAt !== null && expiresAt <= now

const toRecord = ({ hash: _, ...key }: KeyRecord & { readonly hash: string }): KeyRecord => key

const takePage = <A extends { readonly id: number }>(
  all: ReadonlyArray<A>,
  { after, limit }: PageAfter
): ReadonlyArray<A> => all.filter(({ id }) => id > after).slice(0, limit)

const makeAccountReads = (
  state: MemoryState["Service"],
  getTime: (now: number | null) => number
): Pick<
  KeyStore["Service"],
  "createAccount" | "account" | "accountByExternalId" | "updateAccount" | "accounts" | "plansOutside" | "keys"
> => {
  const account = (id: number): Effect.Effect<Account, UnknownAccount> =>
    Effect.suspend(() => {
      const account = state.accounts.get(id)
      return account === undefined ? Effect.fail(new UnknownAccount({ account: id })) : Effect.succeed(account)
    })
  const isTaken = (externalId: string | null | undefined, id: number | null): externalId is string =>
    externalId !== null && externalId !== undefined &&
    [...state.accounts.values()].some((other) => other.externalId === externalId && other.id !== id)
  return {
    account,
    createAccount: ({ externalId = null, metadata = {}, name, now, plan }) =>
      Effect.suspend(() => {
        if (isTaken(externalId, null)) return Effect.fail(new ExternalIdTaken({ externalId }))
        const account: Account = {
          id: state.accounts.size + 1,
          name,
          plan,
          createdAt: getTime(now),
          ...newAccountFields,
          externalId,
          metadata
        }
        state.accounts.set(account.id, account)
        return Effect.succeed(account)
      }),
    accountByExternalId: (externalId) =>
      Effect.sync(() => [...state.accounts.values()].find((account) => account.externalId === externalId) ?? null),
    updateAccount: (id, { externalId, metadata, name, status }) =>
      Effect.flatMap(account(id), (before): ReturnType<KeyStore["Service"]["updateAccount"]> => {
        if (isTaken(externalId, id)) return Effect.fail(new ExternalIdTaken({ externalId }))
        if (status !== undefined && before.status === "closed" && status.status !== "closed") {
          return Effect.fail(new AccountClosed({ account: id }))
        }
        const after: Account = {
          ...before,
          name: name ?? before.name,
          externalId: externalId === undefined ? before.externalId : externalId,
          metadata: metadata ?? before.metadata,
          ...(status === undefined ? {} : { status: status.status, statusReason: status.reason })
        }
        state.accounts.set(id, after)
        return Effect.as(PubSub.publish(state.changes, { _tag: "Account", account: id }), { before, after })
      }),
    accounts: (page) => Effect.sync(() => takePage([...state.accounts.values()], page)),
    plansOutside: (known, limit) =>
      Effect.sync(() => {
        const otherAccounts = [...state.accounts.values()].filter(({ plan }) => !known.includes(plan))
        return [...Map.groupBy(otherAccounts, ({ plan }) => plan)]
          .map(([plan, accountsOnPlan]) => ({
            plan,
            accounts: accountsOnPlan.length,
            firstAccounts: accountsOnPlan.slice(0, limit).map(({ id }) => id)
          }))
          .sort((a, b) => a.plan < b.plan ? -1 : 1)
      }),
    keys: (id, page) =>
      Effect.map(
        account(id),
        () => takePage([...state.keys.values()].filter((key) => key.account === id), page).map(toRecord)
      )
  }
}

interface KeyReads {
  readonly state: MemoryState["Service"]
  readonly getTime: (now: number | null) => number
  readonly findKey: (id: number) => Effect.Effect<KeyRecord & { readonly hash: string }, UnknownKey>
  readonly findOtherOfChain: (key: KeyRecord, now: number) => { readonly other: number | undefined }
  readonly isSessionValid: (session: number | undefined, account: number, now: number) => boolean
}

const makeRotateKey = (
  { findKey, findOtherOfChain, getTime, isSessionValid, state }: KeyReads
): KeyStore["Service"]["rotateKey"] =>
(id, { expiresAt, hash, now: at, overlapMs, prefix, session }) =>
  Effect.flatMap(findKey(id), (key): ReturnType<KeyStore["Service"]["rotateKey"]> => {
    const now = getTime(at)
    if (!isSessionValid(session, key.account, now)) return Effect.fail(new InvalidSession())
    if (!isLive(key, now)) return Effect.fail(new KeyEnded({ key: id }))
    const { other } = findOtherOfChain(key, now)
    if (other !== undefined) return Effect.fail(new RotationRunning({ key: other }))
    const sameLifetime = key.expiresAt === null ? null : now + key.expiresAt - key.createdAt
    const end = expiresAt === undefined ? sameLifetime : expiresAt
    if (hasPassed(end, now)) return Effect.fail(new ExpiryPassed({ expiresAt: end }))
    const times = { createdAt: now, expiresAt: end, lastUsedAt: null }
    const successor = { ...key, ...times, id: state.keys.size + 1, prefix, hash }
    const before = { ...key, expiresAt: Math.min(key.expiresAt ?? Infinity, now + overlapMs) }
    state.keys.set(successor.id, successor)
    state.keys.set(id, before)
    for (const row of state.tasks.tasks.values()) {
      if (row.task.account === key.account && row.task.key === id) row.task = { ...row.task, key: successor.id }
    }
    return Effect.as(
      PubSub.publish(state.changes, { _tag: "Account", account: key.account }),
      { key: toRecord(before), successor: toRecord(successor) }
    )
  })

const makeKeyChanges = (
  state: MemoryState["Service"],
  getTime: (now: number | null) => number,
  account: KeyStore["Service"]["account"]
): Pick<
  KeyStore["Service"],
  "createKey" | "key" | "lockKey" | "updateKey" | "rotateKey" | "revokeKey" | "revokeAllKeys"
> => {
  const findKey = (id: number) =>
    Effect.suspend(() => {
      const key = state.keys.get(id)
      return key === undefined ? Effect.fail(new UnknownKey({ key: id })) : Effect.succeed(key)
    })
  /** Counts the valid keys of an account without the keys of the chain `firstKey`. Keys of one chain count once. */
  const countLiveKeys = (account: number, now: number, firstKey: number | null = null): number =>
    new Set(
      [...state.keys.values()].filter((key) => key.account === account && isLive(key, now) && key.firstKey !== firstKey)
        .map((key) => key.firstKey)
    ).size
  /** Returns the oldest other valid key of a key's chain of rotations, and whether any other valid key is newer. */
  const findOtherOfChain = ({ firstKey, id }: KeyRecord, now: number) => {
    const others = [...state.keys.values()].filter((key) =>
      key.firstKey === firstKey && key.id !== id && isLive(key, now)
    )
    return { other: others[0]?.id, isReplaced: others.some((key) => key.id > id) }
  }
  const isSessionValid = (session: number | undefined, account: number, now: number): boolean => {
    const sessionRecord = session === undefined ? undefined : state.sessions.sessions.get(session)
    return session === undefined || (sessionRecord?.account === account && getEndTime(sessionRecord) > now)
  }
  const changeKey = <E = never>(
    id: number,
    getChanges: (key: KeyRecord) => Partial<KeyRecord>,
    getError: (key: KeyRecord) => E | undefined = () => undefined
  ) =>
    Effect.flatMap(findKey(id), (key): Effect.Effect<KeyRecord, E> => {
      const error = getError(key)
      if (error !== undefined) return Effect.fail(error)
      const after = { ...key, ...getChanges(key) }
      state.keys.set(id, after)
      return Effect.as(PubSub.publish(state.changes, { _tag: "Account", account: key.account }), toRecord(after))
    })
  return {
    key: (id) => Effect.map(findKey(id), toRecord),
    lockKey: (id) => Effect.map(findKey(id), toRecord),
    createKey: ({ allowedIps = [], limit, now, requestsPerMinute = null, session, ...key }) =>
      Effect.flatMap(account(key.account), (): Effect.Effect<KeyRecord, ExpiryPassed | KeyLimit | InvalidSession> => {
        const createdAt = getTime(now)
        if (!isSessionValid(session, key.account, createdAt)) return Effect.fail(new InvalidSession())
        if (hasPassed(key.expiresAt, createdAt)) return Effect.fail(new ExpiryPassed({ expiresAt: key.expiresAt }))
        if (countLiveKeys(key.account, createdAt) >= limit) return Effect.fail(new KeyLimit({ limit }))
        if ([...state.keys.values()].some((other) => other.hash === key.hash)) {
          return Effect.die(new Error("A key of this hash exists"))
        }
        const times = { createdAt, revokedAt: null, lastUsedAt: null }
        const id = state.keys.size + 1
        const limits = { monthlyCredits: null, requestsPerMinute, allowedIps: [...allowedIps] }
        const record = { ...key, id, scopes: [...key.scopes], ...times, ...limits, firstKey: id }
        state.keys.set(record.id, record)
        return Effect.succeed(toRecord(record))
      }),
    updateKey: (id, { allowedIps, expiry, requestsPerMinute, scopes, session }) =>
      changeKey(
        id,
        () => ({
          ...(scopes === undefined ? {} : { scopes: [...scopes] }),
          ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
          ...(allowedIps === undefined ? {} : { allowedIps: [...allowedIps] }),
          ...(expiry === undefined ? {} : { expiresAt: expiry.at })
        }),
        (key) => {
          if (!isSessionValid(session, key.account, getTime(expiry?.now ?? null))) return new InvalidSession()
          if (expiry === undefined) return undefined
          const [{ at, limit }, now] = [expiry, getTime(expiry.now)]
          if (hasPassed(at, now)) return new ExpiryPassed({ expiresAt: at })
          const isLater = key.revokedAt === null && key.expiresAt !== null && (at === null || at > key.expiresAt)
          const { isReplaced, other } = findOtherOfChain(key, now)
          if (other !== undefined && isLater && (isReplaced || !isLive(key, now))) {
            return new RotationRunning({ key: other })
          }
          return isRevivedBy(key, at, now) && countLiveKeys(key.account, now, key.firstKey) >= limit
            ? new KeyLimit({ limit })
            : undefined
        }
      ),
    rotateKey: makeRotateKey({ state, getTime, findKey, findOtherOfChain, isSessionValid }),
    revokeKey: (id, now) => changeKey(id, (key) => ({ revokedAt: key.revokedAt ?? getTime(now) })),
    revokeAllKeys: (account, now) =>
      Effect.suspend(() => {
        const live = [...state.keys.values()].filter((key) => key.account === account && key.revokedAt === null)
        for (const key of live) state.keys.set(key.id, { ...key, revokedAt: getTime(now) })
        return Effect.as(PubSub.publish(state.changes, { _tag: "Account", account }), live.length)
      })
  }
}

/** Provides `KeyStore` over `MemoryState`, with one clock for all callers, like a database. */
export const MemoryKeyStore: Layer.Layer<KeyStore, never, MemoryState> = Layer.effect(
  KeyStore,
  Effect.gen(function*() {
    const [state, clock] = yield* Effect.all([MemoryState, Clock.Clock])
    const getTime = (now: number | null): number => now ?? clock.currentTimeMillisUnsafe()
    const accountReads = makeAccountReads(state, getTime)
    return KeyStore.of({
      ...accountReads,
      ...makeKeyChanges(state, getTime, accountReads.account),
      findByHashes: (hashes) =>
        Effect.sync(() =>
          hashes.map((hash) => {
            const key = [...state.keys.values()].find((other) => other.hash === hash)
            if (key === undefined) return null
            return {
              key: toRecord(key),
              account: state.accounts.get(key.account)!,
              remainingMs: getRemainingLife(key, getTime(null))
            }
          })
        ),
      recordLastUses: (agoMsById, now) =>
        Effect.sync(() => {
          for (const [id, ago] of agoMsById) {
            const [key, at] = [state.keys.get(id), getTime(now) - ago]
            if (key !== undefined && at > (key.lastUsedAt ?? 0)) state.keys.set(id, { ...key, lastUsedAt: at })
          }
        }).pipe(Effect.as([])),
      // The stream subscribes before it emits `Everything`, so that the reader misses no change.
      changes: Stream.unwrap(
        Effect.map(
          PubSub.subscribe(state.changes),
          (subscription) => Stream.concat(Stream.succeed(everythingChanged), Stream.fromSubscription(subscription))
        )
      ),
      isReceivingChanges: Effect.succeed(true)
    })
  })
)
