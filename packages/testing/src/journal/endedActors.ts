import { assert, type Vitest } from "@effect/vitest"
import type { Actor, KeyStore, SessionStore } from "@tapeline/core/engine"
import { type JournalChange, JournalStore } from "@tapeline/core/personal"
import { Effect } from "effect"
import { enrolledActors, newHash } from "../actors.ts"

const open: JournalChange = { _tag: "Open", coin: "BTC", side: "long", fields: {} }

let calls = 0
const newCall = () => `ended/${++calls}`

const writing = Effect.map(
  Effect.service(JournalStore),
  (store) => (account: number, by: Actor, change: JournalChange = open, call = newCall()) =>
    store.write(account, call, change, by)
)

const positionsOf = (account: number) =>
  Effect.flatMap(JournalStore, (store) => Effect.map(store.holdings(account), ({ positions }) => positions.length))

/** Tests of journal writes by sessions and keys that have ended. */
export const endedActors = <R>(it: Vitest.MethodsNonLive<KeyStore | SessionStore | R>): void => {
  it.effect("rejects a change by a key that was revoked or lost write:personal", () =>
    Effect.gen(function*() {
      const { account, key, keys } = yield* enrolledActors
      const write = yield* writing
      const by = { _tag: "Key", key } as const
      const call = newCall()
      const written = yield* write(account, by, open, call)
      assert(written._tag === "Position")
      const rejected = Effect.map(
        Effect.all([open, { _tag: "Delete", id: written.position.id } as const].map((change) =>
          Effect.flip(write(account, by, change))
        )),
        (errors) =>
          errors.map(({ _tag }) => _tag)
      )
      yield* keys.updateKey(key, { scopes: ["read:personal"] })
      assert.deepStrictEqual(yield* rejected, ["ActorEnded", "ActorEnded"])
      yield* keys.updateKey(key, { scopes: ["write:personal"] })
      yield* write(account, by)
      yield* keys.revokeKey(key, null)
      assert.deepStrictEqual(yield* rejected, ["ActorEnded", "ActorEnded"])
      // The stored answer of the earlier call.
      const again = yield* write(account, by, open, call)
      assert.strictEqual(again._tag === "Position" && again.position.id, written.position.id)
      assert.strictEqual(yield* positionsOf(account), 2)
    }))

  it.effect("rejects a change by a session that was ended, expired, or belongs to another account", () =>
    Effect.gen(function*() {
      const { account, other, session, sessions } = yield* enrolledActors
      const stranger = yield* enrolledActors
      const write = yield* writing
      const by = (session: number) => ({ _tag: "Session", session }) as const
      yield* write(account, by(session))
      yield* sessions.end({ account, id: session }, "revoked", null)
      const idle = { hash: newHash(), device: "test", idleMs: 0, lifeMs: 0, replaces: null }
      const { id: expired } = yield* sessions.open(account, "openid", idle, null)
      for (const id of [session, stranger.session, expired]) {
        assert.strictEqual((yield* Effect.flip(write(account, by(id))))._tag, "ActorEnded")
      }
      yield* write(account, by(other))
      assert.strictEqual(yield* positionsOf(account), 2)
    }))

  it.effect("writes nothing after a revocation that happens at the same time", () =>
    Effect.gen(function*() {
      const { account, key, keys } = yield* enrolledActors
      const write = yield* writing
      const watch = (coin: string): JournalChange => ({ _tag: "Watch", add: [coin], remove: ["A", "B"] })
      const attempt = (coin: string) =>
        Effect.match(Effect.suspend(() => write(account, { _tag: "Key", key }, watch(coin))), {
          onFailure: ({ _tag }) => _tag,
          onSuccess: () => "written"
        })
      const attempts = (coin: string) => Effect.repeat(attempt(coin), { until: (came) => came === "ActorEnded" })
      const watched = Effect.flatMap(JournalStore, (store) => store.holdings(account))
      const revocation = attempt("A").pipe(
        Effect.andThen(keys.revokeKey(key, null)),
        Effect.andThen(Effect.map(watched, ({ watchlist }) => watchlist))
      )
      const [left] = yield* Effect.all([revocation, attempts("A"), attempts("B")], { concurrency: "unbounded" })
      assert.deepStrictEqual((yield* watched).watchlist, left)
    }))
}
