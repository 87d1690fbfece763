import { KeyStore, SessionStore } from "@tapeline/core/engine"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"

export const newHash = () => randomBytes(32).toString("hex")

/** Creates an account with two sessions and an API key with the scope `write:personal`. */
export const createActors = Effect.gen(function*() {
  const [keys, sessions] = yield* Effect.all([KeyStore, SessionStore])
  const { id: account } = yield* keys.createAccount({ name: "owner", plan: "pro", now: null })
  const sessionOptions = { device: "test", idleMs: 3_600_000, maxLifetimeMs: 3_600_000, replacedHash: null }
  const openSession = Effect.suspend(() =>
    sessions.open(account, "openid", { ...sessionOptions, hash: newHash() }, null)
  )
  const keyOptions = { account, name: "k", prefix: "tl_live_abcd", scopes: ["write:personal"] } as const
  const { id: key } = yield* keys.createKey({ ...keyOptions, hash: newHash(), expiresAt: null, limit: 1, now: null })
  return { keys, sessions, account, key, session: (yield* openSession).id, other: (yield* openSession).id }
})
