import { assert, type Vitest } from "@effect/vitest"
import { InvalidSession, KeyStore, SessionStore } from "@tapeline/core/engine"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"

const newHash = () => randomBytes(32).toString("hex")

const firstPage = { after: 0, limit: 10_000 }

const newAccount = Effect.flatMap(
  KeyStore,
  (keys) => Effect.map(keys.createAccount({ name: "owner", plan: "pro", now: null }), ({ id }) => id)
)

const newSession = (account: number, maxLifetimeMs = 3_600_000) =>
  Effect.flatMap(SessionStore, (sessions) => {
    const options = { hash: newHash(), device: "test", idleMs: 3_600_000, maxLifetimeMs, replacedHash: null }
    return Effect.map(sessions.open(account, "openid", options, null), ({ id }) => id)
  })

const newKey = (account: number, session: number) =>
  Effect.flatMap(KeyStore, (keys) => {
    const key = { account, name: "a key", prefix: "tl_live_abcd", scopes: ["read:market"] } as const
    return keys.createKey({ ...key, hash: newHash(), expiresAt: null, limit: 10_000, now: null, session })
  })

export const testSessionKeys = (it: Vitest.MethodsNonLive<KeyStore | SessionStore>): void => {
  it.effect("rejects a new or changed key of a session that has ended or belongs to another account", () =>
    Effect.gen(function*() {
      const [keys, sessions] = yield* Effect.all([KeyStore, SessionStore])
      const account = yield* newAccount
      const session = yield* newSession(account)
      const key = yield* newKey(account, session)
      assert.deepStrictEqual((yield* keys.updateKey(key.id, { scopes: [], session })).scopes, [])
      const expiry = { at: null, limit: 10, now: null }
      yield* keys.updateKey(key.id, { expiry, session })
      const foreignSession = yield* newSession(yield* newAccount)
      const expired = yield* newSession(account, 0)
      yield* sessions.end({ account, id: session }, "revoked", null)
      for (const sessionId of [session, foreignSession, expired, 999_999_999]) {
        const failures = yield* Effect.all([
          Effect.flip(newKey(account, sessionId)),
          Effect.flip(keys.updateKey(key.id, { scopes: ["read:us"], session: sessionId })),
          Effect.flip(keys.updateKey(key.id, { expiry, session: sessionId }))
        ])
        for (const failure of failures) assert.deepStrictEqual(failure, new InvalidSession())
      }
      assert.deepStrictEqual(yield* keys.keys(account, firstPage), [{ ...key, scopes: [] }])
    }))

  it.effect("rejects the creation of a key by a session after all sessions of the account were ended", () =>
    Effect.gen(function*() {
      const [keys, sessions] = yield* Effect.all([KeyStore, SessionStore])
      const account = yield* newAccount
      const session = yield* newSession(account)
      const createKey = Effect.match(Effect.suspend(() => newKey(account, session)), {
        onFailure: ({ _tag }) => _tag,
        onSuccess: () => "created"
      })
      const createUntilInvalid = Effect.repeat(createKey, { until: (result) => result === "InvalidSession" })
      const createAndEndSessions = Effect.andThen(createKey, sessions.endAll(account, null, null))
      const [keysAtEnd] = yield* Effect.all([
        Effect.andThen(createAndEndSessions, keys.keys(account, firstPage)),
        createUntilInvalid,
        createUntilInvalid,
        createUntilInvalid
      ], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(yield* keys.keys(account, firstPage), keysAtEnd)
    }))
}
