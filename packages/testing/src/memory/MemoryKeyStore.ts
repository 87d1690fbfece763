import {
  type AccessChange,
  type Account,
  KeyLimit,
  type KeyRecord,
  KeyStore,
  type Page,
  UnknownAccount,
  UnknownKey
} from "@tapeline/core/access"
import { Clock, Effect, Layer, PubSub, Stream } from "effect"
import { MemoryState } from "./MemoryState.ts"

const everything: AccessChange = { _tag: "Everything" }

const isLive = ({ expiresAt, revokedAt }: KeyRecord, now: number): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now)

const lifeOf = ({ expiresAt }: KeyRecord, now: number): number | null => expiresAt === null ? null : expiresAt - now

/** True when a key that is dead would be alive with this expiry. */
const revives = (key: KeyRecord, { at, now }: { readonly at: number | null; readonly now: number }): boolean =>
  !isLive(key, now) && isLive({ ...key, expiresAt: at }, now)

/** A key without its hash. */
const record = ({ hash: _, ...key }: KeyRecord & { readonly hash: string }): KeyRecord => key

const pageOf = <A extends { readonly id: number }>(all: ReadonlyArray<A>, { after, limit }: Page): ReadonlyArray<A> =>
  all.filter(({ id }) => id > after).slice(0, limit)

/** `KeyStore` over `MemoryState`. */
export const MemoryKeyStore: Layer.Layer<KeyStore, never, MemoryState> = Layer.effect(
  KeyStore,
  Effect.gen(function*() {
    const state = yield* MemoryState
    const changed = (account: number) => PubSub.publish(state.changes, { _tag: "Account", account })
    const account = (id: number): Effect.Effect<Account, UnknownAccount> =>
      Effect.suspend(() => {
        const found = state.accounts.get(id)
        return found === undefined ? Effect.fail(new UnknownAccount({ account: id })) : Effect.succeed(found)
      })
    const find = (id: number) =>
      Effect.suspend(() => {
        const found = state.keys.get(id)
        return found === undefined ? Effect.fail(new UnknownKey({ key: id })) : Effect.succeed(found)
      })
    const liveOf = (account: number, now: number): number =>
      [...state.keys.values()].filter((key) => key.account === account && isLive(key, now)).length
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
        return Effect.as(changed(found.account), record(after))
      })

    return KeyStore.of({
      createAccount: ({ name, now, plan }) =>
        Effect.sync(() => {
          const made: Account = { id: state.accounts.size + 1, name, plan, createdAt: now }
          state.accounts.set(made.id, made)
          return made
        }),
      account,
      accounts: (page) => Effect.sync(() => pageOf([...state.accounts.values()], page)),
      plansBeside: (known, few) =>
        Effect.sync(() => {
          const beside = [...state.accounts.values()].filter(({ plan }) => !known.includes(plan))
          return [...Map.groupBy(beside, ({ plan }) => plan)]
            .map(([plan, on]) => ({ plan, accounts: on.length, first: on.slice(0, few).map(({ id }) => id) }))
            .sort((a, b) => a.plan < b.plan ? -1 : 1)
        }),
      createKey: (key) =>
        Effect.flatMap(account(key.account), () => {
          if (liveOf(key.account, key.now) >= key.limit) return Effect.fail(new KeyLimit({ limit: key.limit }))
          if ([...state.keys.values()].some((held) => held.hash === key.hash)) {
            return Effect.die(new Error("A key of this hash exists"))
          }
          const made = {
            id: state.keys.size + 1,
            account: key.account,
            name: key.name,
            prefix: key.prefix,
            scopes: [...key.scopes],
            createdAt: key.now,
            expiresAt: key.expiresAt,
            revokedAt: null,
            lastUsedAt: null,
            hash: key.hash
          }
          state.keys.set(made.id, made)
          return Effect.succeed(record(made))
        }),
      key: (id) => Effect.map(find(id), record),
      keys: (id, page) =>
        Effect.map(
          account(id),
          () => pageOf([...state.keys.values()].filter((key) => key.account === id), page).map(record)
        ),
      updateKey: (id, { expiry, scopes }) =>
        change(
          id,
          () => ({
            ...(scopes === undefined ? {} : { scopes: [...scopes] }),
            ...(expiry === undefined ? {} : { expiresAt: expiry.at })
          }),
          (key) => {
            if (expiry === undefined || !revives(key, expiry)) return undefined
            return liveOf(key.account, expiry.now) >= expiry.limit ? new KeyLimit({ limit: expiry.limit }) : undefined
          }
        ),
      revokeKey: (id, now) => change(id, (key) => ({ revokedAt: key.revokedAt ?? now })),
      findByHashes: (hashes) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          hashes.map((hash) => {
            const key = [...state.keys.values()].find((held) => held.hash === hash)
            if (key === undefined) return null
            return { key: record(key), account: state.accounts.get(key.account)!, lifeMs: lifeOf(key, now) }
          })),
      touchKeys: (uses) =>
        Effect.sync(() => {
          for (const [id, at] of uses) {
            const key = state.keys.get(id)
            if (key !== undefined && at > (key.lastUsedAt ?? 0)) state.keys.set(id, { ...key, lastUsedAt: at })
          }
        }).pipe(Effect.as([])),
      // Subscribed before `Everything` is seen, so that nothing falls between the two.
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
