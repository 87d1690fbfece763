import {
  type AccessChange,
  type Account,
  KeyLimit,
  type KeyRecord,
  KeyStore,
  UnknownAccount,
  UnknownKey
} from "@tapeline/core/access"
import { Effect, Layer, PubSub, Stream } from "effect"
import { MemoryState } from "./MemoryState.ts"

const everything: AccessChange = { _tag: "Everything" }

/** `KeyStore` over `MemoryState`. */
export const MemoryKeyStore: Layer.Layer<KeyStore, never, MemoryState> = Layer.effect(
  KeyStore,
  Effect.gen(function*() {
    const state = yield* MemoryState
    const changed = (account: number) => PubSub.publish(state.changes, { _tag: "Account", account })
    const record = ({ hash: _, ...key }: KeyRecord & { readonly hash: string }): KeyRecord => key

    const account = (id: number): Effect.Effect<Account, UnknownAccount> =>
      Effect.suspend(() => {
        const found = state.accounts.get(id)
        return found === undefined ? Effect.fail(new UnknownAccount({ account: id })) : Effect.succeed(found)
      })
    const change = (id: number, patch: (key: KeyRecord) => Partial<KeyRecord>) =>
      Effect.suspend((): Effect.Effect<KeyRecord, UnknownKey> => {
        const found = state.keys.get(id)
        if (found === undefined) return Effect.fail(new UnknownKey({ key: id }))
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
      accounts: Effect.sync(() => [...state.accounts.values()]),
      createKey: (key) =>
        Effect.flatMap(account(key.account), () => {
          const live = [...state.keys.values()].filter((held) =>
            held.account === key.account && held.revokedAt === null &&
            (held.expiresAt === null || held.expiresAt > key.now)
          )
          if (live.length >= key.limit) return Effect.fail(new KeyLimit({ limit: key.limit }))
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
      keys: (id) =>
        Effect.map(account(id), () => [...state.keys.values()].filter((key) => key.account === id).map(record)),
      updateKey: (id, { expiresAt, scopes }) =>
        change(id, () => ({
          ...(scopes === undefined ? {} : { scopes: [...scopes] }),
          ...(expiresAt === undefined ? {} : { expiresAt })
        })),
      revokeKey: (id, now) => change(id, (key) => ({ revokedAt: key.revokedAt ?? now })),
      findByHash: (hash) =>
        Effect.sync(() => {
          const key = [...state.keys.values()].find((held) => held.hash === hash)
          return key === undefined ? null : { key: record(key), account: state.accounts.get(key.account)! }
        }),
      touchKeys: (uses) =>
        Effect.sync(() => {
          for (const [id, at] of uses) {
            const key = state.keys.get(id)
            if (key !== undefined && at > (key.lastUsedAt ?? 0)) state.keys.set(id, { ...key, lastUsedAt: at })
          }
        }),
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
