import {
  type AccessChange,
  type Account,
  ExpiryPassed,
  InvalidSession,
  KeyLimit,
  type KeyRecord,
  KeyStore,
  type Page,
  UnknownAccount,
  UnknownKey
} from "@tapeline/core/engine"
import { Clock, Effect, Layer, PubSub, Stream } from "effect"
import { MemoryState } from "./MemoryState.ts"
import { overAt } from "./sessionTables.ts"

const everything: AccessChange = { _tag: "Everything" }

const isLive = ({ expiresAt, revokedAt }: KeyRecord, now: number): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now)

const lifeOf = ({ expiresAt }: KeyRecord, now: number): number | null => expiresAt === null ? null : expiresAt - now

/** Whether a dead key would be alive with this expiry. */
const revives = (key: KeyRecord, at: number | null, now: number): boolean =>
  !isLive(key, now) && isLive({ ...key, expiresAt: at }, now)

const hasPassed = (expiresAt: number | null, now: number): expiresAt is number => expiresAt !== null && expiresAt <= now

/** A key without its hash. */
const record = ({ hash: _, ...key }: KeyRecord & { readonly hash: string }): KeyRecord => key

const pageOf = <A extends { readonly id: number }>(all: ReadonlyArray<A>, { after, limit }: Page): ReadonlyArray<A> =>
  all.filter(({ id }) => id > after).slice(0, limit)

/** The accounts and lists of the state. */
const accountsAndLists = (
  state: MemoryState["Service"],
  time: (now: number | null) => number
): Pick<KeyStore["Service"], "createAccount" | "account" | "accounts" | "plansBeside" | "keys"> => {
  const account = (id: number): Effect.Effect<Account, UnknownAccount> =>
    Effect.suspend(() => {
      const found = state.accounts.get(id)
      return found === undefined ? Effect.fail(new UnknownAccount({ account: id })) : Effect.succeed(found)
    })
  return {
    account,
    createAccount: ({ name, now, plan }) =>
      Effect.sync(() => {
        const made: Account = { id: state.accounts.size + 1, name, plan, createdAt: time(now) }
        state.accounts.set(made.id, made)
        return made
      }),
    accounts: (page) => Effect.sync(() => pageOf([...state.accounts.values()], page)),
    plansBeside: (known, few) =>
      Effect.sync(() => {
        const beside = [...state.accounts.values()].filter(({ plan }) => !known.includes(plan))
        return [...Map.groupBy(beside, ({ plan }) => plan)]
          .map(([plan, on]) => ({ plan, accounts: on.length, first: on.slice(0, few).map(({ id }) => id) }))
          .sort((a, b) => a.plan < b.plan ? -1 : 1)
      }),
    keys: (id, page) =>
      Effect.map(
        account(id),
        () => pageOf([...state.keys.values()].filter((key) => key.account === id), page).map(record)
      )
  }
}

/** The changes of keys. */
const keyChanges = (
  state: MemoryState["Service"],
  time: (now: number | null) => number,
  account: KeyStore["Service"]["account"]
): Pick<KeyStore["Service"], "createKey" | "key" | "updateKey" | "revokeKey"> => {
  const find = (id: number) =>
    Effect.suspend(() => {
      const found = state.keys.get(id)
      return found === undefined ? Effect.fail(new UnknownKey({ key: id })) : Effect.succeed(found)
    })
  const liveOf = (account: number, now: number): number =>
    [...state.keys.values()].filter((key) => key.account === account && isLive(key, now)).length
  const mayChange = (session: number | undefined, account: number, now: number): boolean => {
    const found = session === undefined ? undefined : state.sessions.sessions.get(session)
    return session === undefined || (found?.account === account && overAt(found) > now)
  }
  const change = <E = never>(
    id: number,
    patch: (key: KeyRecord) => Partial<KeyRecord>,
    refuse: (key: KeyRecord) => E | undefined = () => undefined
  ) =>
    Effect.flatMap(find(id), (found): Effect.Effect<KeyRecord, E> => {
      const refused = refuse(found)
      if (refused !== undefined) return Effect.fail(refused)
      const after = { ...found, ...patch(found) }
      state.keys.set(id, after)
      return Effect.as(PubSub.publish(state.changes, { _tag: "Account", account: found.account }), record(after))
    })
  return {
    key: (id) => Effect.map(find(id), record),
    createKey: ({ limit, now, session, ...key }) =>
      Effect.flatMap(account(key.account), (): Effect.Effect<KeyRecord, ExpiryPassed | KeyLimit | InvalidSession> => {
        const createdAt = time(now)
        if (!mayChange(session, key.account, createdAt)) return Effect.fail(new InvalidSession())
        if (hasPassed(key.expiresAt, createdAt)) return Effect.fail(new ExpiryPassed({ expiresAt: key.expiresAt }))
        if (liveOf(key.account, createdAt) >= limit) return Effect.fail(new KeyLimit({ limit }))
        if ([...state.keys.values()].some((held) => held.hash === key.hash)) {
          return Effect.die(new Error("A key of this hash exists"))
        }
        const since = { createdAt, revokedAt: null, lastUsedAt: null }
        const made = { ...key, id: state.keys.size + 1, scopes: [...key.scopes], ...since }
        state.keys.set(made.id, made)
        return Effect.succeed(record(made))
      }),
    updateKey: (id, { expiry, scopes, session }) =>
      change(
        id,
        () => ({
          ...(scopes === undefined ? {} : { scopes: [...scopes] }),
          ...(expiry === undefined ? {} : { expiresAt: expiry.at })
        }),
        (key) => {
          if (!mayChange(session, key.account, time(expiry?.now ?? null))) return new InvalidSession()
          if (expiry === undefined) return undefined
          const [{ at, limit }, now] = [expiry, time(expiry.now)]
          if (hasPassed(at, now)) return new ExpiryPassed({ expiresAt: at })
          return revives(key, at, now) && liveOf(key.account, now) >= limit ? new KeyLimit({ limit }) : undefined
        }
      ),
    revokeKey: (id, now) => change(id, (key) => ({ revokedAt: key.revokedAt ?? time(now) }))
  }
}

/**
 * `KeyStore` over `MemoryState`. Its time is the clock of its construction for every caller. A database's clock is also
 * shared by nodes with their own clocks.
 */
export const MemoryKeyStore: Layer.Layer<KeyStore, never, MemoryState> = Layer.effect(
  KeyStore,
  Effect.gen(function*() {
    const [state, clock] = yield* Effect.all([MemoryState, Clock.Clock])
    const time = (now: number | null): number => now ?? clock.currentTimeMillisUnsafe()
    const lists = accountsAndLists(state, time)
    return KeyStore.of({
      ...lists,
      ...keyChanges(state, time, lists.account),
      findByHashes: (hashes) =>
        Effect.sync(() =>
          hashes.map((hash) => {
            const key = [...state.keys.values()].find((held) => held.hash === hash)
            if (key === undefined) return null
            return { key: record(key), account: state.accounts.get(key.account)!, lifeMs: lifeOf(key, time(null)) }
          })
        ),
      touchKeys: (agoMs, now) =>
        Effect.sync(() => {
          for (const [id, ago] of agoMs) {
            const [key, at] = [state.keys.get(id), time(now) - ago]
            if (key !== undefined && at > (key.lastUsedAt ?? 0)) state.keys.set(id, { ...key, lastUsedAt: at })
          }
        }).pipe(Effect.as([])),
      // Subscribes before it emits `Everything`, so that no change is missed in between.
      changes: Stream.unwrap(
        Effect.map(
          PubSub.subscribe(state.changes),
          (subscription) => Stream.concat(Stream.succeed(everything), Stream.fromSubscription(subscription))
        )
      ),
      hearsChanges: Effect.succeed(true)
    })
  })
)
