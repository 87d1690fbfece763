import { assert, type Vitest } from "@effect/vitest"
import type { Actor, KeyStore, SessionStore } from "@tapeline/core/engine"
import { type JournalChange, JournalStore } from "@tapeline/core/personal"
import { Effect } from "effect"
import { createActors, newHash } from "../actors.ts"

const openChange: JournalChange = { _tag: "Open", coin: "BTC", side: "long", fields: {} }

let callCount = 0
const newCall = () => `ended/${++callCount}`

const makeWriter = Effect.map(
  Effect.service(JournalStore),
  (store) => (account: number, actor: Actor, change: JournalChange = openChange, call = newCall()) =>
    store.write(account, call, change, actor)
)

const countPositions = (account: number) =>
  Effect.flatMap(JournalStore, (store) => Effect.map(store.holdings(account), ({ positions }) => positions.length))

/** Tests that a journal rejects writes by sessions and API keys that have ended. */
export const testEndedActors = <R>(it: Vitest.MethodsNonLive<KeyStore | SessionStore | R>): void => {
  it.effect("rejects a change by a key that was revoked or lost write:personal", () =>
    Effect.gen(function*() {
      const { account, key, keys } = yield* createActors
      const write = yield* makeWriter
      const actor = { _tag: "Key", key } as const
      const call = newCall()
      const openResult = yield* write(account, actor, openChange, call)
      assert(openResult._tag === "Position")
      const rejected = Effect.map(
        Effect.all([openChange, { _tag: "Delete", id: openResult.position.id } as const].map((change) =>
          Effect.flip(write(account, actor, change))
        )),
        (errors) =>
          errors.map(({ _tag }) => _tag)
      )
      yield* keys.updateKey(key, { scopes: ["read:personal"] })
      assert.deepStrictEqual(yield* rejected, ["ActorEnded", "ActorEnded"])
      yield* keys.updateKey(key, { scopes: ["write:personal"] })
      yield* write(account, actor)
      yield* keys.revokeKey(key, null)
      assert.deepStrictEqual(yield* rejected, ["ActorEnded", "ActorEnded"])
      // A repeated call with a revoked key returns the stored result of the earlier call.
      const repeated = yield* write(account, actor, openChange, call)
      assert.strictEqual(repeated._tag === "Position" && repeated.position.id, openResult.position.id)
      assert.strictEqual(yield* countPositions(account), 2)
    }))

  it.effect("rejects a change by a session that was ended, expired, or belongs to another account", () =>
    Effect.gen(function*() {
      const { account, other, session, sessions } = yield* createActors
      const foreignActors = yield* createActors
      const write = yield* makeWriter
      const actor = (session: number) => ({ _tag: "Session", session }) as const
      yield* write(account, actor(session))
      yield* sessions.end({ account, id: session }, "revoked", null)
      const expiredOptions = { hash: newHash(), device: "test", idleMs: 0, maxLifetimeMs: 0, replacedHash: null }
      const { id: expiredSession } = yield* sessions.open(account, "openid", expiredOptions, null)
      for (const id of [session, foreignActors.session, expiredSession]) {
        assert.strictEqual((yield* Effect.flip(write(account, actor(id))))._tag, "ActorEnded")
      }
      yield* write(account, actor(other))
      assert.strictEqual(yield* countPositions(account), 2)
    }))

  it.effect("writes nothing after a revocation that happens at the same time", () =>
    Effect.gen(function*() {
      const { account, key, keys } = yield* createActors
      const write = yield* makeWriter
      const watchChange = (coin: string): JournalChange => ({ _tag: "Watch", add: [coin], remove: ["A", "B"] })
      const attemptWatch = (coin: string) =>
        Effect.match(Effect.suspend(() => write(account, { _tag: "Key", key }, watchChange(coin))), {
          onFailure: ({ _tag }) => _tag,
          onSuccess: () => "written"
        })
      const attemptUntilRejected = (coin: string) =>
        Effect.repeat(attemptWatch(coin), { until: (result) => result === "ActorEnded" })
      const readWatchlist = Effect.flatMap(JournalStore, (store) => store.holdings(account))
      const revokeKey = attemptWatch("A").pipe(
        Effect.andThen(keys.revokeKey(key, null)),
        Effect.andThen(Effect.map(readWatchlist, ({ watchlist }) => watchlist))
      )
      const [watchlistAtEnd] = yield* Effect.all([revokeKey, attemptUntilRejected("A"), attemptUntilRejected("B")], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual((yield* readWatchlist).watchlist, watchlistAtEnd)
    }))
}
